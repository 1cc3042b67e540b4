import { stat } from "node:fs/promises";
import { join } from "node:path";
import { hashOf } from "../finish/claim-path.ts";
import { readDoubtFile, type DoubtedRow } from "../finish/read-doubt-file.ts";
import { VerdictLog } from "../finish/verdict-log.ts";
import { writeDoubt } from "../finish/write-doubt.ts";
import type { DoubtDecision } from "../journal/doubt-decision.ts";
import type { OrdinalsByKind } from "../journal/journal-entry.ts";
import { nameDoubt } from "../journal/name-doubt.ts";
import { rangesOf } from "../journal/number-ranges.ts";
import type { StoredRun } from "../journal/run-store.ts";
import { parseDoubtedBatch } from "../model/doubted-batch.ts";
import { RecPushError } from "../model/failure.ts";
import type { RecordKind } from "../model/record.ts";
import { prepareRecords } from "../prepare/prepare-records.ts";
import { selectionOf, selectRecords } from "../prepare/select.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** A record in doubt. */
interface Doubted {
  readonly kind: RecordKind;
  readonly ordinal: number;
  readonly start: number;
}

/** How the input is read, and a private directory. */
export interface DecidingControl {
  readonly read: ReadOptions;
  readonly directory: string;
  readonly abort: AbortSignal;
}

/**
 * The decision that a file of rows in doubt gives: the rows that are left in it are sent, the deleted ones count as
 * applied. `undefined` if this very file already decided the run. Throws a usage error if the file cannot decide.
 */
export async function decideByFile(
  input: SurveyedInput,
  { run, account }: StoredRun,
  path: string,
  control: DecidingControl,
): Promise<DoubtDecision | undefined> {
  const sha256 = await hashOf(path).catch((cause: unknown) => {
    throw refused(
      `${path} cannot be read: ${String(cause)}`,
      `rec-push runs ${run} shows the state of the run`,
    );
  });
  if (account.decidedBy?.sha256 === sha256) return undefined;
  const { reading } = input.inspection;
  const { rows, columns } = await readDoubtFile(path, reading);
  const [first] = rows;
  if (first === undefined)
    throw refused(
      `${path} holds no rows`,
      `if all of the records in doubt are in the service: rec-push resume ${run} --in-doubt applied`,
    );
  const doubt = refuseOther(path, first, run, account.decidedBy?.doubt, nameDoubt(account));
  const expected = join(control.directory, "rows-in-doubt");
  const records = await writeExpected(input, account, { run, doubt }, expected, control);
  const known = await readDoubtFile(expected, reading);
  if (columns !== known.columns)
    throw changed(path, "its columns are not those of the file that was written");
  const isLeft = matchRows(path, rows, known.rows);
  const pick = (isWanted: boolean): OrdinalsByKind => {
    const of = (kind: RecordKind) =>
      rangesOf(
        records.flatMap((record, at) =>
          record.kind === kind && isLeft[at] === isWanted ? [record.ordinal] : [],
        ),
      );
    return { update: of("update"), create: of("create") };
  };
  return {
    inDoubt: "resend",
    of: pick(true),
    applied: pick(false),
    file: { doubt, sha256 },
    after: account.decisions,
  };
}

/** Throws a usage error for a file that was written for another run, or for an earlier doubt of this one. */
function refuseOther(
  path: string,
  { batch }: DoubtedRow,
  run: string,
  decided: string | undefined,
  now: string | undefined,
): string {
  const about = parseDoubtedBatch(batch);
  const hint = `rec-push runs ${run} shows the state of the run, and names the file of what is in doubt now`;
  if (about === undefined) throw changed(path, "the cells before those of the row were changed");
  if (about.run !== run) throw refused(`${path} was written for the run ${about.run}, not for ${run}`, hint);
  if (about.doubt === decided)
    throw refused(`the rows of ${path} were decided on before, and others were left in it then`, hint);
  if (about.doubt !== now)
    throw refused(`what is in doubt in the run ${run} has changed since ${path} was written`, hint);
  return about.doubt;
}

/** Writes the file again as it was; returns its records in the order of the file. */
async function writeExpected(
  input: SurveyedInput,
  account: StoredRun["account"],
  about: { readonly run: string; readonly doubt: string },
  path: string,
  { read, directory, abort }: DecidingControl,
): Promise<readonly Doubted[]> {
  const log = new VerdictLog(directory);
  const found: Doubted[] = [];
  const prepared = prepareRecords(input, { read, judgesTotals: input.report.counts === undefined });
  for await (const { records } of selectRecords(prepared, selectionOf(input))) {
    for (const record of records) {
      const { kind } = record;
      const batch = account.batchInDoubt(kind, record.ordinal);
      if (batch === undefined || account.standingOf(kind, record.ordinal) !== "inDoubt") continue;
      log.addInDoubt(0, record, { batch, msg: undefined });
      found.push({ kind, ordinal: record.ordinal, start: record.rowStart });
    }
    await log.settle();
  }
  await writeDoubt(input, log.read(0), about, path, {
    abort,
    place: async () => path,
  });
  await log.remove();
  return found.sort((left, right) => left.start - right.start);
}

/**
 * For each row in doubt, whether it is left in the file. Throws a usage error for a row that is not in doubt, or that
 * is in the file more often than it is in doubt.
 */
export function matchRows(
  path: string,
  rows: readonly DoubtedRow[],
  known: readonly DoubtedRow[],
): readonly boolean[] {
  const places = new Map<string, number[]>();
  for (const [at, { print }] of known.entries()) {
    const others = places.get(print);
    if (others === undefined) places.set(print, [at]);
    else others.push(at);
  }
  const isLeft = known.map(() => false);
  const taken = new Set<string>();
  for (const { print, line } of rows) {
    const at = places.get(print)?.shift();
    if (at !== undefined) {
      isLeft[at] = true;
      taken.add(print);
      continue;
    }
    if (taken.has(print)) throw changed(path, `the row of line ${line} is in it twice`);
    const isInDoubt = known.some((row) => row.line === line);
    throw changed(
      path,
      isInDoubt ? `the row of line ${line} was changed` : `the row of line ${line} is not in doubt`,
    );
  }
  return isLeft;
}

/** Throws a usage error if there is no such file. */
export async function refuseMissing(path: string, run: string): Promise<void> {
  if ((await stat(path).catch(() => undefined))?.isFile() === true) return;
  throw refused(`there is no file ${path}`, `rec-push runs ${run} shows the state of the run`);
}

function refused(what: string, hint: string): RecPushError {
  return new RecPushError("usage", "other-doubt", `${what}; nothing is decided, and nothing was sent`, {
    hint,
  });
}

function changed(path: string, what: string): RecPushError {
  return new RecPushError(
    "usage",
    "doubt-file-changed",
    `${path}: ${what}; nothing is decided, and nothing was sent`,
    {
      hint: "delete whole rows only: those that are in the service; a row that is to be sent stays as it is",
    },
  );
}
