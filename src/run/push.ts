import type { RecPushError } from "../model/failure.ts";
import type { RejectsFile, RunEnd } from "../model/run-end.ts";
import type { SendSession } from "../send/send-session.ts";
import { describeRecordPlan } from "../journal/record-plan.ts";
import { interruption } from "./interruption.ts";
import { identityOf, startOf, type RunKeeping } from "./keep-run.ts";
import type { RunAccount } from "../journal/run-account.ts";
import { orFailure } from "./or-failure.ts";
import { OutcomeLog } from "../finish/outcome-log.ts";
import { pushInput, type Pushing } from "./push-input.ts";
import { refuseStale } from "./refuse-stale.ts";
import { RejectsAccount } from "../finish/rejects-account.ts";
import type { RejectsPlace } from "../finish/write-rejects.ts";
import { writeResults, type ResultsPlace } from "../finish/results.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { warnOfOtherCreates } from "../ledger/created-before.ts";
import type { Start } from "../ledger/decide-start.ts";
import { findOpenRuns } from "../journal/find-runs.ts";
import { runInputs, type RunControl, type RunRequest } from "./run-inputs.ts";

/** Some inputs for one table. */
export interface PushRequest extends RunRequest {
  /** Called once the inputs are surveyed and there is something to send: a file that stops the run opens no connection. */
  readonly openSession: () => Promise<SendSession>;
  /** `undefined`: nothing of the runs is kept (the sandbox in this process). */
  readonly keeping?: RunKeeping;
  /** Where the rejects of each input go, in the order of the files; into the run's directory where it is not said. */
  readonly rejects?: readonly (RejectsPlace | undefined)[];
  /** Where what became of every row goes. */
  readonly results?: ResultsPlace | undefined;
}

/** One push from end to end: survey everything, send file after file, then write what it is asked to. */
export async function push(request: PushRequest, control: RunControl): Promise<RunEnd> {
  let rejectsFiles: readonly RejectsFile[] = [];
  const end = await runInputs({ ...request, isAhead: true }, control, async (inputs, tally, directory) => {
    const log = new OutcomeLog(directory);
    const books = { accounts: new Map<number, RunAccount>(), leftOut: new Set<number>() };
    const review = { inputs, request, log, ...books, abort: control.abort };
    const rejects = new RejectsAccount(review, request.rejects ?? []);
    try {
      let failure = await sendInputs(inputs, { request, tally, control, log, rejects, ...books });
      if (inputs.length > 1) failure = await orFailure(() => rejects.finish(), failure);
      rejectsFiles = rejects.files;
      const { results } = request;
      if (results === undefined) return failure;
      return await orFailure(() => writeResults(review, results), failure);
    } finally {
      await log.remove();
    }
  });
  return { ...end, rejectsFiles };
}

async function sendInputs(
  inputs: readonly SurveyedInput[],
  about: Omit<Pushing, "openSession" | "totalRows" | "openRuns">,
): Promise<RecPushError | undefined> {
  const { request, tally, control, rejects, leftOut } = about;
  const { keeping } = request;
  let leftOutRows = 0;
  // What one of them must not send stops the command before any is sent.
  for (const [at, input] of inputs.entries()) {
    const plan = describeRecordPlan(input, request);
    const start = keeping && (await startOf(input, keeping, plan));
    const stored = start?.kind === "resume" ? start.stored : undefined;
    if (stored !== undefined && !keeping!.staleOk) {
      await refuseStale(keeping!.state, stored, input, request.read);
    }
    leftOutRows += start === undefined ? 0 : countLeftOut(start, input);
    if (start?.kind === "new" && start.createdBy === undefined && !keeping!.again) {
      const text = await warnOfOtherCreates(keeping!.state, identityOf(input, keeping!), plan, input);
      if (text !== undefined) control.emit({ kind: "notice", notice: { text }, isAlwaysShown: true });
    }
    if (start?.kind === "leftOut") leftOut.add(at);
    else await rejects.check(at, stored?.directory);
  }
  const open = keeping === undefined ? [] : await findOpenRuns(keeping.state, keeping.target.url);
  const totalRows = request.isStreamed ? undefined : tally.counts.notSent - leftOutRows;
  let session: SendSession | undefined;
  const openSession = async (): Promise<SendSession> => (session ??= await request.openSession());
  const openRuns = open.map(({ run }) => run);
  tally.openRuns = openRuns;
  const pushing: Pushing = { ...about, openSession, totalRows, openRuns: new Set(openRuns) };
  try {
    for (const [at, input] of inputs.entries()) {
      const failure = await pushInput(input, at, pushing);
      if (failure !== undefined) return failure;
    }
  } finally {
    await session?.close();
  }
  return control.drain.aborted && tally.counts.notSent > 0 ? interruption() : undefined;
}

/** Rows of a surveyed input that are not sent because they were sent before. */
function countLeftOut(start: Start, { report }: SurveyedInput): number {
  if (start.kind === "leftOut") return report.updates + report.creates;
  const createdBy = start.kind === "new" ? start.createdBy?.run : start.stored.facts.createdBy;
  return createdBy === undefined ? 0 : report.creates;
}
