import { findUnmended } from "../files/rows-to-mend.ts";
import type { ComparisonForm } from "../ledger/comparison-form.ts";
import type { Start } from "../ledger/decide-start.ts";
import { identityFields } from "../ledger/exports-rule.ts";
import type { SurveyCounts } from "../model/counts.ts";
import type { RunEvent } from "../model/event.ts";
import { nameLines } from "../model/doubted-row.ts";
import { RecPushError } from "../model/failure.ts";
import type { RecordKind } from "../model/settlement.ts";
import { eachRecord } from "../prepare/stream.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { closeFinished, findLostRuns, findOpenRuns } from "../store/close-finished.ts";
import type { DoubtDecision } from "../store/doubt-decision.ts";
import { bookOf } from "../store/find-books.ts";
import { rangesOf } from "../store/number-ranges.ts";
import { pruneOldRuns } from "../store/prune-runs.ts";
import type { OrdinalsByKind } from "../store/read-journal.ts";
import { describeRecordPlan } from "../store/run-facts.ts";
import type { StoredRun } from "../store/summarise-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { comparisonOf, refuseUnknownFields } from "./change-ledger.ts";
import { type DuplicateCheck, type LedgerAnswer, leftOutBy } from "./duplicate-check.ts";
import { findOvertaken, type OvertakenRows } from "./overtaken.ts";
import { type PushRequest, type RunKeeping, type RunOutputs, startOf } from "./run-outputs.ts";
import type { DecidedStarts } from "./send-input.ts";

/** A command whose inputs are about to start. */
interface StartingControl {
  readonly request: PushRequest;
  readonly books: RunOutputs;
  readonly duplicates: DuplicateCheck | undefined;
  /** Called once it is known how all of them start, before the ledger is asked; if it throws, the command stops. */
  readonly onStarts: (starts: readonly Start[]) => Promise<void>;
}

/** Decides how every input starts, before any is sent. Throws if one of them must not start. */
export async function decideStarts(
  inputs: readonly SurveyedInput[],
  { request, books, duplicates, onStarts }: StartingControl,
): Promise<DecidedStarts> {
  const { keeping } = request;
  const starts: Start[] = [];
  const overtaken: (OvertakenRows | undefined)[] = [];
  const forms: ComparisonForm[] = [];
  const answers: (LedgerAnswer | undefined)[] = [];
  let leftOutRows = 0;
  if (keeping !== undefined) {
    if (keeping.shard === undefined) await pruneOldRuns(keeping);
    for (const [at, input] of inputs.entries()) {
      const start = await decide(input, request, keeping);
      starts.push(start);
      if (start.kind === "leftOut" || keeping.staleOk || keeping.shard !== undefined) continue;
      overtaken[at] = await findOvertaken({
        input,
        keeping,
        read: request.read,
        stored: start.kind === "resume" ? start.stored : undefined,
        before: inputs.slice(0, at),
        tell: (text) => books.emit({ event: "notice", file: input.source.name, text, isAlwaysShown: true }),
      });
      leftOutRows += overtaken[at]?.rows ?? 0;
    }
    await onStarts(starts);
  }
  for (const [at, input] of inputs.entries()) {
    const start = starts[at];
    if (keeping !== undefined && start !== undefined) {
      refuseUnknownFields(input, keeping.exports);
      const begunWith = start.kind === "resume" ? start.stored.facts.compared : undefined;
      const form = comparisonOf(input.plan, identityFields(keeping.exports), begunWith);
      const isLast = at === inputs.length - 1;
      const answer = await duplicates?.ask(input, start, form, isLast, (doubtful) =>
        books.tally.noteEarlierDoubt(doubtful),
      );
      leftOutRows += leftOutBy(answer);
      forms.push(form);
      answers.push(answer);
    }
    if (start?.kind === "resume") await books.rejects.takeUp(at, start.stored.directory);
    leftOutRows += countLeftOut(start, input.report.counts);
  }
  if (keeping !== undefined) {
    await closeFinished(keeping);
    await (await bookOf(keeping.state, keeping.lock.table)).tidy(keeping.lock);
  }
  // With creates, the ledger has stopped the command.
  if (keeping !== undefined && inputs.every(({ report }) => report.counts.creates === 0))
    for (const run of await findLostRuns(keeping.state, keeping.target)) books.emit(lostNotice(run));
  const open = keeping === undefined ? [] : await findOpenRuns(keeping.state, keeping.target);
  books.tally.openRuns = open.map(({ run }) => run);
  const unmended =
    keeping === undefined || keeping.shard !== undefined
      ? []
      : await findUnmended(keeping.state, keeping.target);
  return {
    starts,
    forms,
    answers,
    overtaken,
    openRuns: new Set(books.tally.openRuns),
    unmended: new Set(unmended),
    totalRows: books.tally.counts.notSent - leftOutRows,
  };
}

async function decide(input: SurveyedInput, request: PushRequest, keeping: RunKeeping): Promise<Start> {
  const plan = describeRecordPlan(input, request.optionPlan);
  const start = await startOf(input, keeping, plan);
  if (start.kind !== "resume" || start.decision === undefined) return start;
  return { ...start, decision: await decideByFile(input, start.stored, start.decision, request.read) };
}

/** Said with updates, which go on although it is not known what a run created. */
function lostNotice(run: string): RunEvent {
  const text = `the journal of the run ${run} on this table is lost or damaged: no record without key is created in the table until it is said what it created; rec-push runs says how`;
  return { event: "notice", text, isAlwaysShown: true };
}

/** Rows of a surveyed input that are not sent because they were sent before. */
function countLeftOut(start: Start | undefined, counts: SurveyCounts): number {
  if (start === undefined) return 0;
  if (start.kind === "leftOut") return counts.updates + counts.creates;
  const createdBy = start.kind === "new" ? start.createdBy?.run : start.stored.facts.createdBy;
  return createdBy === undefined ? 0 : counts.creates;
}

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
async function decideByFile(
  input: SurveyedInput,
  { account }: StoredRun,
  decision: DoubtDecision,
  read: ReadOptions,
): Promise<DoubtDecision> {
  const { file } = decision;
  if (file === undefined || account.doubt !== decision.doubt) return decision;
  const left = new Set(file.left);
  const deleted: Doubted[] = [];
  const nameLine = nameLines();
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
