import type { ChunkRecords, RecordList, RecordStretch, Batch } from "../model/record-list.ts";
import type { RecordKind } from "../model/record.ts";
import { addRecord, hasRoom, openBatch, type BatchLimits, type OpenBatch } from "./open-batch.ts";
import { UpdateLanes } from "./update-lanes.ts";

/** A batch, with what sending needs to know about the others. */
export interface MadeBatch extends Batch {
  /** Of the whole body. */
  readonly bytes: number;
  /** True if an earlier batch may hold one of its keys. */
  readonly mayRepeatKeys: boolean;
  /** True if the input has no other create batch. */
  readonly isOnly: boolean;
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
}

/**
 * Cuts the records of one input into batches: updates and creates apart, file order inside a batch, each key at most
 * once per batch, and batches that share a key in the order of its rows. The limits may change while it runs. Memory
 * is bounded by the batches that are open.
 */
export async function* batchRecords(
  chunks: AsyncIterable<RecordList>,
  limits: BatchLimits,
  options: BatchOptions = {},
): AsyncGenerator<MadeBatch, void, void> {
  const cutter = new BatchCutter(limits, options);
  for await (const { stretches } of chunks) {
    for (const { of, from, to } of stretches) {
      for (let next = from; next < to;) {
        next = cutter.take({ of, from: next, to });
        yield* cutter.leaving();
      }
    }
  }
  yield* cutter.drain();
}

/** The open batches of one input. */
class BatchCutter {
  readonly #limits: BatchLimits;
  readonly #lanes: UpdateLanes;
  #creates: OpenBatch;
  #createBatches = 0;
  #number: number;
  readonly #fullUpdates: OpenBatch[] = [];
  readonly #leaving: MadeBatch[] = [];

  constructor(
    limits: BatchLimits,
    { maxLanes = MAX_LANES, firstNumber = 1, hasDistinctKeys = false }: BatchOptions,
  ) {
    this.#limits = limits;
    this.#lanes = new UpdateLanes(maxLanes, hasDistinctKeys);
    this.#creates = openBatch(limits);
    this.#number = firstNumber - 1;
  }

  /** Takes records until a batch is full; returns the number of the next in their chunk. */
  take({ of, from, to }: RecordStretch): number {
    // Read once: nothing is learnt of the service in the meantime.
    const { maxRecords, maxBytes, envelopeBytes } = this.#limits;
    const limits = { maxRecords, maxBytes, envelopeBytes };
    for (let index = from; index < to; index++) {
      if (of.kind(index) === "create") this.#addCreate(of, index, limits);
      else this.#addUpdate(of, index, limits);
      if (this.#leaving.length > 0) return index + 1;
    }
    return to;
  }

  /** The batches that have become full, in order. */
  leaving(): readonly MadeBatch[] {
    return this.#leaving.splice(0);
  }

  /** The batches that are still open, in order. */
  drain(): readonly MadeBatch[] {
    for (const batch of this.#lanes.drain()) this.#leave("update", batch);
    if (this.#creates.records.length > 0) this.#leave("create", this.#creates, this.#createBatches === 0);
    return this.leaving();
  }

  #addUpdate(of: ChunkRecords, index: number, limits: BatchLimits): void {
    this.#lanes.add(of, index, limits, this.#fullUpdates);
    if (this.#fullUpdates.length > 0)
      for (const batch of this.#fullUpdates.splice(0)) this.#leave("update", batch);
  }

  /** A full batch of creates is held until the next create shows that it is not the only batch. */
  #addCreate(of: ChunkRecords, index: number, limits: BatchLimits): void {
    if (!hasRoom(this.#creates, of.bytes(index), limits)) {
      this.#createBatches += 1;
      this.#leave("create", this.#creates);
      this.#creates = openBatch(limits);
    }
    addRecord(this.#creates, of, index);
  }

  #leave(kind: RecordKind, { records, bytes }: OpenBatch, isOnly = false): void {
    this.#number += 1;
    const { mayRepeatKeys } = this.#lanes;
    this.#leaving.push({ number: this.#number, kind, records, bytes, mayRepeatKeys, isOnly });
  }
}
