import { type Drift, type DriftRule, findDrift, type Profile, profileOf } from "../drift/find-drift.ts";
import { KEY_FIELD } from "../fields/columns/other-columns.ts";
import { formatDate } from "../fields/date/calendar.ts";
import type { Start } from "../ledger/decide-start.ts";
import type { CreateCounts, LedgerSource } from "../ledger/exports-rule.ts";
import { showCount } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import { isTabular } from "../model/reading.ts";
import type { RunAccount } from "../store/count-run.ts";
import { bookOf } from "../store/find-books.ts";
import { stateOf } from "../store/summarise-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { ReadKeeping, RunKeeping } from "./run-outputs.ts";
import type { RunControl, RunRequest } from "./check.ts";
import { isRowsFile } from "./rejects-origin.ts";
import type { StartedInput } from "./start-inputs.ts";

/** The profiles of the inputs of a push; they are kept once the service has accepted the files. */
export interface DriftWatch {
  /** Keeps the profile of an input whose push has ended; `account` is that of its run, if it has one. */
  readonly note: (at: number, account: RunAccount | undefined) => Promise<void>;
  /** The profile of an input that is compared, for a plan that keeps it later. */
  readonly profileOf: (at: number) => Profile | undefined;
}

/**
 * Compares each input that begins a run with the earlier files of the table, and reports, before anything is sent, how
 * it differs from all of them. Throws an input error if that, or a lost column of keys, stops the push. `undefined` if no input is
 * compared.
 */
export async function judgeDrift(
  inputs: readonly StartedInput[],
  keeping: RunKeeping,
  { fields }: Pick<RunRequest, "fields">,
  emit: RunControl["emit"],
): Promise<DriftWatch | undefined> {
  const { drift, lock } = keeping;
  if (drift === undefined || keeping.again) return undefined;
  const book = await bookOf(keeping.state, keeping.target);
  const before = (book.figures as readonly Profile[]).toSorted((one, other) => one.day - other.day);
  const profiles = new Map<number, Profile>();
  const unlike: string[] = [];
  for (const [at, { input, start }] of inputs.entries()) {
    if (!(await isCompared(input, start, drift, keeping))) continue;
    const { source, report, figures } = input;
    if (keeping.exports.exports !== "delta") refuseLostColumn(input, before);
    const fresh = profileOf(source.name, report.counts, figures!, fields.today);
    const found = drift === "off" || drift === "accept" ? [] : findDrift(fresh, before);
    const told = found.map(({ aspect }) => aspect);
    const profile: Profile = { ...fresh, told };
    if (found.length > 0) {
      const text = driftText(source.name, found, before.length);
      unlike.push(text);
      if (drift === "note")
        emit({ event: "notice", file: source.name, ...noticeOf(text, found), isAlwaysShown: true });
    }
    profiles.set(at, profile);
    before.push(profile);
  }
  if (drift === "stop" && unlike.length > 0) throw stopError(unlike);
  return {
    profileOf: (at) => profiles.get(at),
    async note(at, account) {
      const profile = profiles.get(at);
      const { start } = inputs[at]!;
      if (profile === undefined || !isAccepted(start, account)) return;
      // The close of its run brings this to disk.
      if (start.kind === "new") book.addLater({ entry: "figures", profile });
      else await book.append(lock, { entry: "figures", profile });
    },
  };
}

/** A file of mended rows is only part of another file, and content that was pushed before has a profile already. */
async function isCompared(
  input: SurveyedInput,
  start: Start,
  drift: DriftRule,
  keeping: RunKeeping,
): Promise<boolean> {
  if (input.figures === undefined) return false;
  if (await isRowsFile(input, keeping)) return false;
  if (start.kind === "new") return start.createdBy === undefined || drift === "accept";
  return start.kind === "leftOut" && drift === "accept";
}

/** True once there is nothing left to send, and the service has not refused all of it. */
function isAccepted(start: Start, account: RunAccount | undefined): boolean {
  if (start.kind === "leftOut") return true;
  if (account === undefined || stateOf(account) !== "finished") return false;
  return account.count("accepted") > 0 || account.count("refused") === 0;
}

function driftText(file: string, found: readonly Drift[], before: number): string {
  return `${file} is unlike all of the last ${showCount(before, "file")}: ${found.map(({ text }) => text).join("; ")}`;
}

const ADVICE = "--drift accept says that such files are usual from now on";

function noticeOf(text: string, found: readonly Drift[]) {
  return { text: `${text}; ${ADVICE}`, drift: found };
}

function stopError(unlike: readonly string[]): RecPushError {
  return new RecPushError("unlike-before", `${unlike.join("\n")}; nothing was sent`, {
    hint: `check the file; if it is right, ${ADVICE}, and --drift note sends it anyway`,
  });
}

/** An earlier push that sent updates, and perhaps creates. */
interface Earlier {
  readonly file: string;
  /** As `2016-07-05`. */
  readonly day: string;
  readonly updates: number;
}

/**
 * Throws an input error if an input without keys holds creates of an earlier push again that also sent updates: the rows of
 * these updates would be created. `sharing`: the sources that hold some of its creates. An empty column of keys is accepted
 * where few rows, or only one, had keys. `--only creates` says that the input needs none.
 */
export async function refuseLostKeys(
  input: SurveyedInput,
  { creates, fresh }: CreateCounts,
  sharing: readonly LedgerSource[],
  keeping: ReadKeeping,
): Promise<void> {
  const { plan, report } = input;
  const source = sharing.findLast(({ updates = 0 }) => updates > 0);
  if (source === undefined || fresh === 0 || mayLackKeys(input)) return;
  const { file, startedAt, updates = 0 } = source;
  const isGone = !plan.fields.some(({ field }) => field === KEY_FIELD);
  const isEmpty = report.counts.updates === 0 && updates > 1 && updates >= creates - fresh;
  if (2 * fresh < updates || !(isGone || isEmpty) || (await isRowsFile(input, keeping))) return;
  throw keysLost(input, isGone, { file, day: startedAt.slice(0, 10), updates });
}

/**
 * Throws an input error if a file has lost its column of keys since the last push of a file of its name, because the
 * records that the earlier file updated would be created.
 */
function refuseLostColumn(input: SurveyedInput, before: readonly Profile[]): void {
  const { source, plan, report } = input;
  const { creates } = report.counts;
  const isGone =
    isTabular(report.reading.format) && !plan.parts.columns.some(({ header }) => header === KEY_FIELD);
  if (!isGone || plan.fields.some(({ field }) => field === KEY_FIELD) || mayLackKeys(input)) return;
  // `<stdin>`, or what a program gave, is no name of a file.
  if (/^<.*>$/.test(source.name)) return;
  const last = before.findLast(({ file }) => file === source.name);
  if (last === undefined || last.updates === 0 || 2 * creates < last.updates) return;
  throw keysLost(input, true, { ...last, day: formatDate(last.day) });
}

function mayLackKeys({ plan }: SurveyedInput): boolean {
  return plan.parts.options.only === "creates" || plan.constants.has(KEY_FIELD);
}

function keysLost({ source: { name } }: SurveyedInput, isGone: boolean, earlier: Earlier): RecPushError {
  const { file, day, updates } = earlier;
  const what = isGone ? `no column goes to the key ${KEY_FIELD}` : `no row has a key ${KEY_FIELD}`;
  const others = updates === 1 ? "the record" : `the ${showCount(updates, "record")}`;
  return new RecPushError(
    "keys-lost",
    `${name}: ${what}, and ${file}, pushed on ${day}, had keys: ${others} that it updated would be created a second time`,
    {
      hint: `${isGone ? `--map COLUMN=${KEY_FIELD} names the column` : "check that column in the file"}; --only creates, if the rows are new records`,
      place: { file: name },
    },
  );
}
