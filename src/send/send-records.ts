import type { RecordList } from "../model/record-list.ts";
import { batchRecords, type BatchOptions } from "./batch.ts";
import { Flight } from "./flight.ts";
import { envelopeBytes } from "./request-body.ts";
import type { SendEnd, SendOptions } from "./send-options.ts";
import { SendRun } from "./send-run.ts";
import type { SessionState } from "./session-state.ts";

/**
 * Sends the records of one input; resolves when nothing is in flight and nothing more will be. Throws only for a
 * defect of rec-push, or what `records` throws other than its own failures.
 */
export async function sendRecords(
  records: AsyncIterable<RecordList>,
  options: SendOptions,
  state: SessionState,
): Promise<SendEnd> {
  const run = new SendRun(state, options);
  const { hasDistinctKeys = false, firstBatch = 1 } = options;
  const flight = new Flight(run);
  run.holdEarlier();
  void feed(records, run, flight, { hasDistinctKeys, firstNumber: firstBatch });
  try {
    await flight.finished();
  } finally {
    run.close();
  }
  return { failure: run.failure };
}

/** Reads on as long as there is room; an error of the source stops the run. */
async function feed(
  records: AsyncIterable<RecordList>,
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
