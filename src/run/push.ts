import type { RecPushError } from "../model/failure.ts";
import type { RunEnd } from "../model/run-end.ts";
import type { SendSession } from "../send/send-session.ts";
import { describeRecordPlan } from "./journal/record-plan.ts";
import { interruption } from "./interruption.ts";
import { startOf, type RunKeeping } from "./keep-run.ts";
import { pushInput, type Pushing } from "./push-input.ts";
import { refuseStale } from "./refuse-stale.ts";
import { findOpenRuns } from "./state/find-runs.ts";
import { runInputs, type RunControl, type RunRequest } from "./run-inputs.ts";

/** Some inputs for one table. */
export interface PushRequest extends RunRequest {
  /** Called once the inputs are surveyed and there is something to send: a file that stops the run opens no connection. */
  readonly openSession: () => Promise<SendSession>;
  /** `undefined`: nothing of the runs is kept (the sandbox in this process). */
  readonly keeping?: RunKeeping;
}

/** One push from end to end: survey everything, then send file after file. */
export function push(request: PushRequest, control: RunControl): Promise<RunEnd> {
  return runInputs(request, control, async (inputs, tally) => {
    const { keeping } = request;
    // What one of them must not send stops the command before any is sent.
    for (const input of keeping === undefined ? [] : inputs) {
      const start = await startOf(input, keeping!, describeRecordPlan(input, request));
      if (start.kind === "resume" && !keeping!.staleOk) {
        await refuseStale(keeping!.state, start.stored, input, request.read);
      }
    }
    const open = keeping === undefined ? [] : await findOpenRuns(keeping.state, keeping.target.url);
    const totalRows = request.isStreamed ? undefined : tally.counts.notSent;
    let session: SendSession | undefined;
    const openSession = async (): Promise<SendSession> => (session ??= await request.openSession());
    const openRuns = open.map(({ run }) => run);
    tally.openRuns = openRuns;
    const pushing: Pushing = { openSession, totalRows, openRuns, request, tally, control };
    let failure: RecPushError | undefined;
    try {
      for (const input of inputs) {
        failure = await pushInput(input, pushing);
        if (failure !== undefined) return failure;
      }
    } finally {
      await session?.close();
    }
    return control.drain.aborted && tally.counts.notSent > 0 ? interruption() : undefined;
  });
}
