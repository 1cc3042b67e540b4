import type { RecPushError } from "../model/failure.ts";
import type { RunEnd } from "../model/run-end.ts";
import type { Settled } from "../model/outcome.ts";
import type { RowProblem } from "../model/row.ts";
import type { SendSession } from "../send/send-session.ts";
import { interruption } from "./interruption.ts";
import { prepareRecords } from "./prepare-records.ts";
import { runInputs, type RunControl, type RunRequest } from "./run-inputs.ts";
import { streamRecords } from "./stream-records.ts";
import type { SurveyedInput } from "./survey-input.ts";
import type { Tally } from "./tally.ts";

/** Some inputs for one table. */
export interface PushRequest extends RunRequest {
  /** Called once the inputs are surveyed: a file that stops the run opens no connection. */
  readonly openSession: () => SendSession;
}

/** One push from end to end: survey everything, then send file after file. */
export function push(request: PushRequest, control: RunControl): Promise<RunEnd> {
  return runInputs(request, control, async (inputs, tally) => {
    const totalRows = request.isStreamed ? undefined : tally.counts.notSent;
    if (totalRows === 0) return undefined;
    const session = request.openSession();
    try {
      for (const input of inputs) {
        const failure = await sendInput(input, totalRows, { session, request, tally, control });
        if (failure !== undefined) return failure;
      }
    } finally {
      await session.close();
    }
    return control.drain.aborted && tally.counts.notSent > 0 ? interruption() : undefined;
  });
}

interface Sending {
  readonly session: SendSession;
  readonly request: PushRequest;
  readonly tally: Tally;
  readonly control: RunControl;
}

async function sendInput(
  input: SurveyedInput,
  totalRows: number | undefined,
  { session, request, tally, control: { drain, abort, emit } }: Sending,
): Promise<RecPushError | undefined> {
  const file = input.source.name;
  const reject = (problem: RowProblem): void => emit({ kind: "reject", file, problem });
  const records = request.isStreamed
    ? streamRecords(input, request, tally, reject)
    : prepareRecords(input, request.read, reject);
  const settling = session.send(records, {
    drain,
    abort,
    onWaiting: ({ forMs, why }) => emit({ kind: "waiting", forMs, why }),
  });
  let next = await settling.next();
  for (; !next.done; next = await settling.next()) {
    const settled = next.value;
    tally.settle(file, settled);
    emit({ kind: "settled", file, settled });
    if (settled.outcome === "refused") refusals(settled).forEach(reject);
    emit({ kind: "progress", settledRows: (totalRows ?? tally.read) - tally.counts.notSent, totalRows });
  }
  return next.value.failure;
}

function refusals({ records, msg, status }: Settled): RowProblem[] {
  return records.map(({ line }) => ({
    line,
    reason: `the service refused it (${status ?? "no answer"}): ${msg}`,
  }));
}
