import type { Settled } from "../model/outcome.ts";
import type { PreparedRecord } from "../model/record.ts";
import { batchRecords, type BatchOptions } from "./batch.ts";
import { Flight } from "./flight.ts";
import { envelopeBytes } from "./request-body.ts";
import type { SendEnd, SendOptions } from "./send-options.ts";
import { SendRun } from "./send-run.ts";
import type { SessionState } from "./session-state.ts";

/**
 * Sends the records of one input and yields what settled, in the order of settling. Records that never appear were not
 * sent. Throws only a fault of rec-push, or what `records` throws that is none of its failures. Leaving early cuts
 * requests in flight off.
 */
export async function* sendRecords(
  records: AsyncIterable<readonly PreparedRecord[]>,
  options: SendOptions,
  state: SessionState,
): AsyncGenerator<Settled, SendEnd, void> {
  const run = new SendRun(state, options);
  const { hasDistinctKeys = false, firstBatch = 1 } = options;
  const flight = new Flight(run, hasDistinctKeys);
  const finished = flight.finished().finally(() => run.close());
  void feed(records, run, flight, { hasDistinctKeys, firstNumber: firstBatch });
  try {
    yield* run.settled.read();
  } finally {
    run.abandon();
    await finished;
  }
  return { failure: run.failure, heldBack: run.heldBack };
}

/** Reads on while there is room; an error of the source stops the run. */
async function feed(
  records: AsyncIterable<readonly PreparedRecord[]>,
  run: SendRun,
  flight: Flight,
  how: BatchOptions,
): Promise<void> {
  const { settings, target, learnt } = run.state;
  const limits = {
    maxRecords: settings.batchSize,
    get maxBytes() {
      return learnt.maxBytes;
    },
    envelopeBytes: envelopeBytes(target.envelope),
  };
  try {
    for await (const batch of batchRecords(records, limits, how)) {
      if (run.hasEnded) return;
      await flight.enter(batch);
    }
    flight.endOfInput();
  } catch (error) {
    run.stop(error);
  }
}
