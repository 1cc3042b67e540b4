import { describeRecordPlan } from "../journal/record-plan.ts";
import { findOpenRuns } from "../journal/find-runs.ts";
import { warnOfOtherCreates } from "../ledger/created-before.ts";
import type { Start } from "../ledger/decide-start.ts";
import type { SurveyCounts } from "../model/event.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { Books } from "./books.ts";
import type { PushRequest } from "./push-request.ts";
import type { DecidedStarts } from "./pushing.ts";
import { refuseStale } from "./refuse-stale.ts";
import { identityOf, startOf, type RunKeeping } from "./start-run.ts";

/** Decides for every input how it starts, before any is sent. Throws if one of them must not start. */
export async function decideStarts(
  inputs: readonly SurveyedInput[],
  { request, books }: { readonly request: PushRequest; readonly books: Books },
): Promise<DecidedStarts> {
  const { keeping } = request;
  const starts: Start[] = [];
  let leftOutRows = 0;
  for (const [at, input] of inputs.entries()) {
    const start = keeping && (await decide(input, request, keeping, books));
    if (start !== undefined) starts.push(start);
    if (start?.kind !== "leftOut")
      await books.rejects.check(at, start?.kind === "resume" ? start.stored.directory : undefined);
    leftOutRows += countLeftOut(start, input.report.counts);
  }
  const open = keeping === undefined ? [] : await findOpenRuns(keeping.state, keeping.target.url);
  books.tally.openRuns = open.map(({ run }) => run);
  return {
    starts,
    openRuns: new Set(books.tally.openRuns),
    totalRows: request.isStreamed ? undefined : books.tally.counts.notSent - leftOutRows,
  };
}

async function decide(
  input: SurveyedInput,
  request: PushRequest,
  keeping: RunKeeping,
  { emit }: Books,
): Promise<Start> {
  const { state, staleOk, again } = keeping;
  const plan = describeRecordPlan(input, request.optionPlan);
  const start = await startOf(input, keeping, plan);
  if (start.kind === "resume" && !staleOk) await refuseStale(state, start.stored, input, request.read);
  if (start.kind === "new" && start.createdBy === undefined && !again) {
    const text = await warnOfOtherCreates(state, identityOf(input, keeping), plan.texts, input);
    if (text !== undefined) emit({ kind: "notice", notice: { text }, isAlwaysShown: true });
  }
  return start;
}

/** Rows of a surveyed input that are not sent because they were sent before. */
function countLeftOut(start: Start | undefined, counts: SurveyCounts | undefined): number {
  if (start === undefined || counts === undefined) return 0;
  if (start.kind === "leftOut") return counts.updates + counts.creates;
  const createdBy = start.kind === "new" ? start.createdBy?.run : start.stored.facts.createdBy;
  return createdBy === undefined ? 0 : counts.creates;
}
