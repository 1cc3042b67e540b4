import { type Drift, findDrift, type Profile, profileOf } from "../drift/find-drift.ts";
import { KEY_FIELD } from "../fields/columns/other-columns.ts";
import { formatDate } from "../fields/date/calendar.ts";
import { showCount } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import { isTabular } from "../model/reading.ts";
import type { Book } from "../store/book.ts";
import { bookOf } from "../store/find-books.ts";
import type { ReadKeeping, RunKeeping } from "./push-request.ts";
import type { RunControl, RunRequest } from "./check.ts";
import type { StartedInput } from "./start-inputs.ts";

/**
 * Compares each input that begins a run with the earlier files of the table, and reports, before anything is sent, how
 * it differs from all of them. Throws an input error if that stops the push. Returns the profiles of the inputs that are compared,
 * by their places among those of the command.
 */
export async function judgeDrift(
  inputs: readonly StartedInput[],
  keeping: RunKeeping,
  { fields }: Pick<RunRequest, "fields">,
  emit: RunControl["emit"],
): Promise<ReadonlyMap<number, Profile>> {
  const { drift } = keeping;
  const profiles = new Map<number, Profile>();
  if (drift === undefined || keeping.again) return profiles;
  const before = profilesIn(await bookOf(keeping.state, keeping.target));
  const unlike: string[] = [];
  for (const { input, at, start, origins } of inputs) {
    const { source, report, figures } = input;
    // Mended rows are only part of another file, and content that was pushed before has a profile already.
    const isNew = start.kind === "new" && start.createdBy === undefined;
    if (!isNew || figures === undefined || origins !== undefined) continue;
    const profile = profileOf(source.name, report.counts, figures, fields.today);
    const found = drift === "off" ? [] : findDrift(profile, before);
    if (found.length > 0) {
      const text = driftText(source.name, found, before.length);
      unlike.push(text);
      if (drift === "note")
        emit({ event: "notice", file: source.name, text, drift: found, isAlwaysShown: true });
    }
    profiles.set(at, profile);
    before.push(profile);
  }
  if (drift === "stop" && unlike.length > 0) throw stopError(unlike);
  return profiles;
}

/** The oldest first. */
function profilesIn({ figures }: Book): Profile[] {
  return (figures as readonly Profile[]).toSorted((one, other) => one.day - other.day);
}

function driftText(file: string, found: readonly Drift[], before: number): string {
  return `${file} is unlike all of the last ${showCount(before, "file")}: ${found.map(({ text }) => text).join("; ")}`;
}

function stopError(unlike: readonly string[]): RecPushError {
  return new RecPushError("unlike-before", `${unlike.join("\n")}; nothing was sent`, {
    hint: "check the file; if it is right, --drift accept sends it, and such files are usual from then on",
  });
}

/**
 * Throws an input error if no row of a file has a key, and rows of the last file of its name had some: the records that they updated
 * would be created. Without a file of its name that is the last one with updates and creates, if the column of keys is gone; where it
 * is still there, it may be empty if few rows had keys. `--only creates` says that the rows are new records.
 */
export async function refuseLostKeys(
  { input, start, origins }: StartedInput,
  keeping: ReadKeeping,
): Promise<void> {
  const { source, plan, report } = input;
  const { updates, creates } = report.counts;
  const isNew = start.kind === "new" && start.createdBy === undefined;
  if (!isNew || updates > 0 || keeping.again || keeping.exports.exports === "delta") return;
  if (plan.parts.options.only === "creates" || plan.constants.has(KEY_FIELD)) return;
  const headers = [
    ...plan.parts.columns.map(({ header }) => header),
    ...plan.fields.map(({ field }) => field),
  ];
  // A record of JSON lacks a member that is empty.
  const isGone = isTabular(report.reading.format) && !headers.includes(KEY_FIELD);
  const before = profilesIn(await bookOf(keeping.state, keeping.target));
  const ofName = before.findLast(({ file }) => file === source.name);
  const last = ofName ?? before.findLast((one) => isGone && one.updates > 0 && one.updates < one.rows);
  if (last === undefined || last.updates === 0 || 2 * creates < last.updates) return;
  if (!isGone && 2 * last.updates < last.rows) return;
  if (origins === undefined) throw keysLost(source.name, isGone, last);
}

function keysLost(name: string, isGone: boolean, { file, day, updates }: Profile): RecPushError {
  const what = isGone ? `no column goes to the key ${KEY_FIELD}` : `no row has a key ${KEY_FIELD}`;
  const others = updates === 1 ? "the record" : `the ${showCount(updates, "record")}`;
  return new RecPushError(
    "keys-lost",
    `${name}: ${what}, and ${file}, pushed on ${formatDate(day)}, had keys: ${others} that it updated would be created a second time`,
    {
      hint: `${isGone ? `--map COLUMN=${KEY_FIELD} names the column` : "check that column in the file"}; --only creates, if the rows are new records`,
      place: { file: name },
    },
  );
}
