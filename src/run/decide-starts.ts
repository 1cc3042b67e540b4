import { findUnmended } from "../finish/holds-unmended.ts";
import { describeRecordPlan } from "../journal/record-plan.ts";
import { closeFinished } from "../journal/close-finished.ts";
import { findOpenRuns } from "../journal/find-runs.ts";
import { findLostRuns } from "../journal/lost-run.ts";
import { identityFields } from "../ledger/exports-rule.ts";
import type { ComparisonForm } from "../ledger/comparison-form.ts";
import { comparisonOf } from "./comparison-of.ts";
import type { Start } from "../ledger/decide-start.ts";
import type { RunEvent, SurveyCounts } from "../model/event.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { leftOutBy, type LedgerAnswer, type LedgerDesk } from "./ask-ledger.ts";
import type { Books } from "./books.ts";
import type { PushRequest } from "./push-request.ts";
import type { DecidedStarts } from "./pushing.ts";
import { decideByFile } from "./decide-by-file.ts";
import { refuseUnknownFields } from "./refuse-unknown-fields.ts";
import { refuseLaterRows, refuseStale, refuseStaleRejects } from "./refuse-stale.ts";
import { directoriesOf, startOf, type RunKeeping } from "./start-run.ts";

/** A command whose inputs are about to start. */
interface StartingControl {
  readonly request: PushRequest;
  readonly books: Books;
  readonly desk: LedgerDesk | undefined;
  /** Called once it is known how all of them start, before the ledger is asked; if it throws, the command stops. */
  readonly onStarts: (starts: readonly Start[]) => Promise<void>;
}

/** Decides how every input starts, before any is sent. Throws if one of them must not start. */
export async function decideStarts(
  inputs: readonly SurveyedInput[],
  { request, books, desk, onStarts }: StartingControl,
): Promise<DecidedStarts> {
  const { keeping } = request;
  const starts: Start[] = [];
  const forms: ComparisonForm[] = [];
  const answers: (LedgerAnswer | undefined)[] = [];
  let leftOutRows = 0;
  if (keeping !== undefined) {
    for (const [at, input] of inputs.entries()) {
      starts.push(await decide(input, request, keeping, inputs.slice(0, at)));
    }
    await onStarts(starts);
  }
  for (const [at, input] of inputs.entries()) {
    const start = starts[at];
    if (keeping !== undefined && start !== undefined) {
      refuseUnknownFields(input, keeping.exports);
      const form = comparisonOf(input.plan, identityFields(keeping.exports));
      const isLast = at === inputs.length - 1;
      const answer = await desk?.ask(input, start, form, isLast, (doubtful) =>
        books.tally.noteEarlierDoubt(doubtful),
      );
      leftOutRows += leftOutBy(answer);
      forms.push(form);
      answers.push(answer);
    }
    if (start?.kind !== "leftOut") {
      const directory = start?.kind === "resume" ? start.stored.directory : undefined;
      const former = keeping === undefined ? [] : await directoriesOf(input, keeping);
      await books.rejects.check(at, directory, former);
    }
    leftOutRows += countLeftOut(start, input.report.counts);
  }
  if (keeping !== undefined) await closeFinished(keeping.state, keeping.target.url);
  // With creates, the ledger has stopped the command.
  if (keeping !== undefined && inputs.every(({ report }) => report.counts.creates === 0))
    for (const run of await findLostRuns(keeping.state, keeping.target.url)) books.emit(lostNotice(run));
  const open = keeping === undefined ? [] : await findOpenRuns(keeping.state, keeping.target.url);
  books.tally.openRuns = open.map(({ run }) => run);
  const unmended =
    keeping === undefined || keeping.shard !== undefined
      ? []
      : await findUnmended(keeping.state, keeping.target);
  return {
    starts,
    forms,
    answers,
    openRuns: new Set(books.tally.openRuns),
    unmended: new Set(unmended),
    totalRows: books.tally.counts.notSent - leftOutRows,
  };
}

async function decide(
  input: SurveyedInput,
  request: PushRequest,
  keeping: RunKeeping,
  before: readonly SurveyedInput[],
): Promise<Start> {
  const { staleOk, shard } = keeping;
  const plan = describeRecordPlan(input, request.optionPlan);
  const start = await startOf(input, keeping, plan);
  if (start.kind === "resume" && !staleOk)
    await refuseStale(keeping, start.stored, input, { read: request.read, before });
  if (start.kind === "new" && !staleOk && shard === undefined) {
    await refuseLaterRows(input, request.read);
    await refuseStaleRejects(keeping, input, request.read);
  }
  if (start.kind !== "resume" || start.decision === undefined) return start;
  return { ...start, decision: await decideByFile(input, start.stored, start.decision, request.read) };
}

/** Said with updates, which go on although it is not known what a run created. */
function lostNotice(run: string): RunEvent {
  const text = `the journal of the run ${run} on this table is lost or damaged: no record without key is created in the table until it is said what it created; rec-push runs says how`;
  return { kind: "notice", notice: { text }, isAlwaysShown: true };
}

/** Rows of a surveyed input that are not sent because they were sent before. */
function countLeftOut(start: Start | undefined, counts: SurveyCounts): number {
  if (start === undefined) return 0;
  if (start.kind === "leftOut") return counts.updates + counts.creates;
  const createdBy = start.kind === "new" ? start.createdBy?.run : start.stored.facts.createdBy;
  return createdBy === undefined ? 0 : counts.creates;
}
