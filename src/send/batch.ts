import type { DoubtfulBatch, IdempotencyKey } from "../model/idempotency-key.ts";
import type { Batch, PreparedRecord, RecordKind } from "../model/record.ts";
import { addRecord, hasRoom, type BatchLimits, type OpenBatch } from "./open-batch.ts";
import { UpdateLanes } from "./update-lanes.ts";

/** A batch, with what sending needs to know about the others. */
export interface MadeBatch extends Batch {
  /** Of the whole body. */
  readonly bytes: number;
  /** True if the input has no other create batch. */
  readonly isOnly: boolean;
  /** The key under which an earlier process sent exactly these records. */
  readonly doubtKey?: IdempotencyKey;
}

/** How many update batches are open at once if keys repeat. */
const MAX_LANES = 8;

/** How the batches of an input are made. */
export interface BatchOptions {
  readonly maxLanes?: number;
  /** 1 by default. */
  readonly firstNumber?: number;
  /** True if no two records have the same key. */
  readonly hasDistinctKeys?: boolean;
  /** By ordinal: creates that are sent together again, without any others. */
  readonly doubtful?: ReadonlyMap<number, DoubtfulBatch> | undefined;
}

/**
 * Cuts the records of one input into batches: updates and creates apart, file order inside a batch, each key at most
 * once per batch, and batches that share a key in the order of its rows. The limits may change while it runs. Memory
 * is bounded by the batches that are open.
 */
export async function* batchRecords(
  chunks: AsyncIterable<readonly PreparedRecord[]>,
  limits: BatchLimits,
  { maxLanes = MAX_LANES, firstNumber = 1, hasDistinctKeys = false, doubtful }: BatchOptions = {},
): AsyncGenerator<MadeBatch, void, void> {
  const lanes = new UpdateLanes(limits, maxLanes, hasDistinctKeys);
  let creates: OpenBatch = { records: [], bytes: limits.envelopeBytes };
  const again = new Map<DoubtfulBatch, OpenBatch>();
  const ready: OpenBatch[] = [];
  let number = firstNumber - 1;
  let createBatches = 0;

  const make = (kind: RecordKind, { records, bytes }: OpenBatch, isOnly = false): MadeBatch => {
    number += 1;
    return { number, kind, records, bytes, isOnly };
  };

  for await (const chunk of chunks) {
    for (const record of chunk) {
      if (record.key !== undefined) {
        lanes.add(record, record.key, ready);
        if (ready.length > 0) yield* ready.splice(0).map((batch) => make("update", batch));
        continue;
      }
      const before = doubtful?.get(record.ordinal);
      if (before !== undefined) {
        const open = again.get(before) ?? { records: [], bytes: limits.envelopeBytes };
        again.set(before, open);
        addRecord(open, record, record.bytes);
        if (open.records.length < before.records) continue;
        again.delete(before);
        yield { ...make("create", open, true), doubtKey: before.key };
        continue;
      }
      // A full batch of creates is held until the next create shows that it is not the only batch.
      const { bytes } = record;
      if (!hasRoom(creates, bytes, limits)) {
        createBatches += 1;
        const full = creates;
        creates = { records: [], bytes: limits.envelopeBytes };
        yield make("create", full);
      }
      addRecord(creates, record, bytes);
    }
  }
  for (const batch of lanes.drain()) yield make("update", batch);
  if (creates.records.length > 0) yield make("create", creates, createBatches === 0);
}
