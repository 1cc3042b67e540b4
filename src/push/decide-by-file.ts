import { createLineNames } from "../model/doubted-row.ts";
import { RecPushError } from "../model/failure.ts";
import type { RecordKind } from "../model/settlement.ts";
import { eachRecord } from "../prepare/stream.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { DoubtDecision } from "../store/doubt-decision.ts";
import { rangesOf } from "../store/number-ranges.ts";
import type { OrdinalsByKind } from "../store/read-journal.ts";
import type { StoredRun } from "../store/summarise-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** A record in doubt. */
interface Doubted {
  readonly kind: RecordKind;
  readonly ordinal: number;
  readonly start: number;
  readonly line: number;
}

/**
 * The decision that a file of rows in doubt gives: the rows that are left in it are sent, the deleted ones count as
 * applied. Throws a usage error if it holds a row that is not in doubt.
 */
export async function decideByFile(
  input: SurveyedInput,
  { account }: StoredRun,
  decision: DoubtDecision,
  read: ReadOptions,
): Promise<DoubtDecision> {
  const { file } = decision;
  if (file === undefined || account.doubt !== decision.doubt) return decision;
  const left = new Set(file.left);
  const deleted: Doubted[] = [];
  const nameLine = createLineNames();
  for (const record of await findDoubted(input, account, read))
    if (!left.delete(nameLine(record.line))) deleted.push(record);
  const [other] = left;
  if (other !== undefined)
    throw new RecPushError(
      "usage",
      "doubt-file-changed",
      `${file.path}: the row of line ${other} is not in doubt; nothing is decided, and nothing was sent`,
      {
        hint: "delete whole rows only: those that are in the service; a row that is to be sent stays as it is",
      },
    );
  return { ...decision, applied: { update: ordinalsOf("update"), create: ordinalsOf("create") } };

  function ordinalsOf(kind: RecordKind): OrdinalsByKind[RecordKind] {
    return rangesOf(deleted.flatMap((record) => (record.kind === kind ? [record.ordinal] : [])));
  }
}

/** The records in doubt, in the order of the input. */
async function findDoubted(
  input: SurveyedInput,
  account: StoredRun["account"],
  read: ReadOptions,
): Promise<readonly Doubted[]> {
  const found: Doubted[] = [];
  await eachRecord(input, { read }, ({ kind, ordinal, rowStart: start, line }) => {
    if (account.standingOf(kind, ordinal) === "inDoubt") found.push({ kind, ordinal, start, line });
  });
  return found.sort((left, right) => left.start - right.start);
}
