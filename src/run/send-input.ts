import type { RecPushError } from "../model/failure.ts";
import type { Settled } from "../model/outcome.ts";
import type { PreparedRecord } from "../model/record.ts";
import type { RowProblem } from "../model/row.ts";
import type { SendSession } from "../send/send-session.ts";
import { hasDistinctKeys } from "../prepare/distinct-keys.ts";
import { settlementOf, type OutcomeLog } from "../finish/outcome-log.ts";
import { prepareRecords } from "../prepare/prepare-records.ts";
import type { PushRequest } from "./push.ts";
import type { RejectsAccount } from "../finish/rejects-account.ts";
import { describeRefusal } from "../finish/rejection.ts";
import type { RunControl } from "./run-inputs.ts";
import type { OpenRun } from "../journal/open-run.ts";
import type { TouchedKeys } from "../journal/touched-keys.ts";
import { streamRecords } from "../prepare/stream-records.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { Tally } from "./tally.ts";
import { withoutCreates, withoutSettled } from "../prepare/without-settled.ts";

/** What sending an input needs of its push. */
export interface Sending {
  readonly openSession: () => Promise<SendSession>;
  readonly totalRows: number | undefined;
  readonly request: PushRequest;
  readonly tally: Tally;
  readonly control: RunControl;
  /** What became of the records, input by input. */
  readonly log: OutcomeLog;
  readonly rejects: RejectsAccount;
}

/** Sends what is not settled yet; gives what stopped it. */
export async function sendInput(
  input: SurveyedInput,
  at: number,
  { openSession, totalRows, request, tally, log, rejects, control: { drain, abort, emit } }: Sending,
  run?: OpenRun,
  touched?: TouchedKeys,
): Promise<RecPushError | undefined> {
  if (totalRows !== undefined && tally.counts.notSent === 0) return undefined;
  const file = input.source.name;
  const reject = (problem: RowProblem): void => {
    if (request.isStreamed) rejects.note(at, 1);
    emit({ kind: "reject", file, problem });
  };
  const prepared = request.isStreamed
    ? streamInput(input, request, tally, reject)
    : (input.ahead?.records(input.plan, tally, reject) ?? prepareRecords(input, request.read, reject));
  const wanted =
    run?.account.facts?.createdBy === undefined ? prepared : withoutCreates(prepared, request, tally);
  const unsettled = run === undefined ? wanted : withoutSettled(wanted, run.account, request, tally);
  const records = touched === undefined ? unsettled : noteKeys(unsettled, touched);
  const session = await openSession();
  const settling = session.send(records, {
    hasDistinctKeys: hasDistinctKeys(input.report),
    drain,
    abort,
    onWaiting: ({ forMs, why }) => emit({ kind: "waiting", forMs, why }),
    ...(run === undefined
      ? {}
      : {
          beforeCreate: (batch) => run.announce(batch),
          onSettled: (settled) => run.settle(settled),
          firstBatch: run.account.lastBatch + 1,
        }),
  });
  let next = await settling.next();
  for (; !next.done; next = await settling.next()) {
    const settled = next.value;
    tally.settle(file, settled);
    log.add(at, settlementOf(settled));
    await log.settle();
    emit({ kind: "settled", file, settled });
    if (settled.outcome === "refused") {
      rejects.note(at, settled.records.length);
      refusals(settled).forEach(reject);
    }
    emit({ kind: "progress", settledRows: (totalRows ?? tally.read) - tally.counts.notSent, totalRows });
  }
  return next.value.failure;
}

function streamInput(
  input: SurveyedInput,
  { read, onInvalid, fields }: PushRequest,
  tally: Tally,
  onReject: (problem: RowProblem) => void,
): AsyncIterable<readonly PreparedRecord[]> {
  const settings = { read, onInvalid, keepsFooter: fields.keepsFooter === true };
  return (
    input.ahead?.stream(input, settings, tally, onReject) ?? streamRecords(input, settings, tally, onReject)
  );
}

async function* noteKeys(
  chunks: AsyncIterable<readonly PreparedRecord[]>,
  touched: TouchedKeys,
): AsyncGenerator<readonly PreparedRecord[]> {
  for await (const chunk of chunks) {
    await touched.add(chunk.flatMap(({ key }) => (key === undefined ? [] : [key])));
    yield chunk;
  }
}

function refusals({ records, msg, status }: Settled): RowProblem[] {
  return records.map(({ line }) => ({
    line,
    reason: describeRefusal({ status, msg }),
  }));
}
