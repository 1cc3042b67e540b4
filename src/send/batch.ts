import {
  type Batch,
  type ChunkRecords,
  type RecordKind,
  RecordList,
  type RecordStretch,
} from "../model/settlement.ts";

/** How many update batches are open at once if keys repeat. */
const MAX_LANES = 8;

/** How the batches of an input are made. */
export interface BatchOptions {
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
): AsyncGenerator<Batch, void, void> {
  const cutter = new BatchCutter(limits, options);
  for await (const { stretches } of chunks) {
    for (const stretch of stretches) {
      cutter.take(stretch);
      yield* cutter.leaving();
    }
  }
  yield* cutter.drain();
}

/** The open batches of one input. */
class BatchCutter {
  readonly #limits: BatchLimits;
  readonly #lanes: UpdateLanes;
  #creates: OpenBatch;
  #number: number;
  readonly #leaving: Batch[] = [];

  constructor(limits: BatchLimits, { firstNumber = 1, hasDistinctKeys = false }: BatchOptions) {
    this.#limits = limits;
    this.#lanes = new UpdateLanes(hasDistinctKeys, (batch) => this.#leave("update", batch));
    this.#creates = openBatch(limits);
    this.#number = firstNumber - 1;
  }

  take({ of, from, to }: RecordStretch): void {
    // Read once: the limits cannot change in the meantime.
    const { maxRecords, maxBytes, envelopeBytes } = this.#limits;
    const limits = { maxRecords, maxBytes, envelopeBytes };
    for (let index = from; index < to; index++) {
      if (of.kind(index) === "create") this.#addCreate(of, index, limits);
      else this.#lanes.add(of, index, limits);
    }
  }

  /** The batches that have become full, in order. */
  leaving(): readonly Batch[] {
    return this.#leaving.splice(0);
  }

  /** The batches that are still open, in order. */
  drain(): readonly Batch[] {
    this.#lanes.drain();
    if (this.#creates.records.length > 0) this.#leave("create", this.#creates);
    return this.leaving();
  }

  #addCreate(of: ChunkRecords, index: number, limits: BatchLimits): void {
    if (!hasRoom(this.#creates, of.bytes(index), limits)) {
      this.#leave("create", this.#creates);
      this.#creates = openBatch(limits);
    }
    addRecord(this.#creates, of, index);
  }

  #leave(kind: RecordKind, { records }: OpenBatch): void {
    this.#number += 1;
    this.#leaving.push({ number: this.#number, kind, records });
  }
}

interface Lane extends OpenBatch {
  /** Lanes are numbered in the order in which they are sent. */
  readonly number: number;
}

/**
 * Fills several update batches at once, so that repeated keys do not lead to tiny batches: a row goes to the first
 * open batch with room after the last one that holds its key. Batches leave in order, so rows with one key stay in
 * order.
 */
class UpdateLanes {
  readonly #lanes: Lane[] = [];
  /** The last open lane of each key; `undefined` if no key repeats. */
  readonly #laneOfKey: Map<string, number> | undefined;
  readonly #leave: (batch: OpenBatch) => void;
  #made = 0;

  constructor(hasDistinctKeys: boolean, leave: (batch: OpenBatch) => void) {
    this.#leave = leave;
    this.#laneOfKey = hasDistinctKeys ? undefined : new Map();
  }

  /** Adds an update; batches that became ready leave, in order. */
  add(of: ChunkRecords, index: number, limits: BatchLimits): void {
    // Each reading of a key decodes it again.
    const key = this.#laneOfKey === undefined ? "" : (of.key(index) ?? "");
    const lane = this.#findLane(this.#laneOfKey?.get(key), of.bytes(index), limits);
    addRecord(lane, of, index);
    this.#laneOfKey?.set(key, lane.number);
    while (isFull(this.#lanes[0], limits)) this.#sendFirst();
  }

  drain(): void {
    while (this.#lanes.length > 0) this.#sendFirst();
  }

  /** `after`: the number of the lane that must be sent before. */
  #findLane(after: number | undefined, bytes: number, limits: BatchLimits): Lane {
    for (let i = 0; i < this.#lanes.length;) {
      const lane = this.#lanes[i];
      if (lane === undefined || (after !== undefined && lane.number <= after)) i += 1;
      else if (hasRoom(lane, bytes, limits)) return lane;
      else if (i === 0) this.#sendFirst();
      else i += 1;
    }
    if (this.#lanes.length >= MAX_LANES) this.#sendFirst();
    this.#made += 1;
    const lane: Lane = { number: this.#made, ...openBatch(limits) };
    this.#lanes.push(lane);
    return lane;
  }

  #sendFirst(): void {
    const lane = this.#lanes.shift() as Lane;
    if (this.#laneOfKey !== undefined) {
      for (const { key } of lane.records) {
        if (key !== undefined && this.#laneOfKey.get(key) === lane.number) this.#laneOfKey.delete(key);
      }
    }
    this.#leave(lane);
  }
}

function isFull(lane: Lane | undefined, { maxRecords, maxBytes }: BatchLimits): boolean {
  return lane !== undefined && (lane.records.length >= maxRecords || lane.bytes >= maxBytes);
}

/** The limits of a batch. Sending may lower them. */
interface BatchLimits {
  readonly maxRecords: number;
  /** Size of the body's JSON text in UTF-8, envelope and commas included. */
  readonly maxBytes: number;
  /** Bytes of the body around the records: 2 for a bare array. */
  readonly envelopeBytes: number;
}

/** A batch that is being filled. */
interface OpenBatch {
  readonly records: RecordList;
  /** Size of the whole body. */
  bytes: number;
}

/** An empty batch. */
function openBatch({ envelopeBytes }: BatchLimits): OpenBatch {
  return { records: new RecordList(), bytes: envelopeBytes };
}

/** True if the record may join; a record that is too large by itself fits only into an empty batch. */
function hasRoom(batch: OpenBatch, bytes: number, limits: BatchLimits): boolean {
  const { length } = batch.records;
  return length === 0 || (length < limits.maxRecords && batch.bytes + 1 + bytes <= limits.maxBytes);
}

function addRecord(batch: OpenBatch, of: ChunkRecords, index: number): void {
  batch.bytes += of.bytes(index) + (batch.records.length === 0 ? 0 : 1);
  batch.records.add(of, index);
}
