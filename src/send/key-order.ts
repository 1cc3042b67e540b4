import type { RecordList } from "../model/record-list.ts";

/** The place of one batch among those that are not settled yet. */
export interface OrderedBatch {
  readonly records: RecordList;
  /** Number of earlier unsettled batches that hold one of its keys. */
  waitsFor: number;
  /** Later batches that wait for this one. */
  readonly followers: Set<OrderedBatch>;
}

/**
 * Keeps rows with the same key in order across batches in flight: a batch may be sent once no earlier unsettled batch
 * holds one of its keys. Stores the keys of unsettled batches only, and none at all as long as none can repeat.
 */
export class KeyOrder {
  /** For each key, the last unsettled batch that holds it; only once a key may repeat. */
  #holders: Map<string, OrderedBatch> | undefined;
  /** Few; an array, because a set that is used for long keeps what it held (see {@link onAbort}). */
  readonly #unsettled: OrderedBatch[] = [];

  /**
   * Adds a batch; to be called in the order in which batches are made. A batch holds a key at most once; `mayRepeatKeys`:
   * one of its keys may be in an earlier batch.
   */
  enter(records: RecordList, mayRepeatKeys: boolean): OrderedBatch {
    const batch: OrderedBatch = { records, waitsFor: 0, followers: new Set() };
    if (this.#holders === undefined && mayRepeatKeys) this.#holders = holdersOf(this.#unsettled);
    this.#unsettled.push(batch);
    if (this.#holders === undefined) return batch;
    for (const { key } of records) {
      if (key === undefined) continue;
      const holder = this.#holders.get(key);
      if (holder !== undefined && !holder.followers.has(batch)) {
        holder.followers.add(batch);
        batch.waitsFor += 1;
      }
      this.#holders.set(key, batch);
    }
    return batch;
  }

  /** Releases the batch's keys. */
  settle(batch: OrderedBatch): void {
    this.#unsettled.splice(this.#unsettled.indexOf(batch), 1);
    if (this.#holders === undefined) return;
    for (const { key } of batch.records) {
      if (key !== undefined && this.#holders.get(key) === batch) this.#holders.delete(key);
    }
    for (const follower of batch.followers) follower.waitsFor -= 1;
    batch.followers.clear();
  }
}

function holdersOf(batches: Iterable<OrderedBatch>): Map<string, OrderedBatch> {
  const holders = new Map<string, OrderedBatch>();
  for (const batch of batches) {
    for (const { key } of batch.records) if (key !== undefined) holders.set(key, batch);
  }
  return holders;
}
