import type { PreparedRecord } from "../model/record.ts";
import { RisingKeys } from "../model/rising-keys.ts";
import { addRecord, hasRoom, type BatchLimits, type OpenBatch } from "./open-batch.ts";

interface Lane extends OpenBatch {
  /** Lanes are numbered in the order in which they are sent. */
  readonly number: number;
}

/**
 * Fills several update batches at once, so that repeated keys do not lead to tiny batches: a row goes to the first
 * open batch with room after the last one that holds its key. Batches leave in order, so rows with one key stay in
 * order.
 */
export class UpdateLanes {
  readonly #limits: BatchLimits;
  readonly #maxLanes: number;
  readonly #lanes: Lane[] = [];
  /** The last open lane of each key; only once a key may repeat. */
  #laneOfKey: Map<string, number> | undefined;
  readonly #rising = new RisingKeys();
  readonly #hasDistinctKeys: boolean;
  #made = 0;

  constructor(limits: BatchLimits, maxLanes: number, hasDistinctKeys = false) {
    this.#hasDistinctKeys = hasDistinctKeys;
    this.#limits = limits;
    this.#maxLanes = maxLanes;
  }

  /** Adds an update; batches that became ready are appended to `ready`, in order. */
  add(record: PreparedRecord, key: string, ready: OpenBatch[]): void {
    const { bytes } = record;
    if (this.#laneOfKey === undefined && !this.#hasDistinctKeys && !this.#rising.add(key))
      this.#laneOfKey = lanesOfKeys(this.#lanes);
    const lane = this.#findLane(key, bytes, ready);
    addRecord(lane, record, bytes);
    this.#laneOfKey?.set(key, lane.number);
    while (this.#isFull(this.#lanes[0])) ready.push(this.#sendFirst());
  }

  /** The batches that are still open, in order. */
  drain(): OpenBatch[] {
    this.#laneOfKey?.clear();
    return this.#lanes.splice(0);
  }

  #findLane(key: string, bytes: number, ready: OpenBatch[]): Lane {
    const after = this.#laneOfKey?.get(key);
    for (let i = 0; i < this.#lanes.length;) {
      const lane = this.#lanes[i];
      if (lane === undefined || (after !== undefined && lane.number <= after)) i += 1;
      else if (hasRoom(lane, bytes, this.#limits)) return lane;
      else if (i === 0) ready.push(this.#sendFirst());
      else i += 1;
    }
    if (this.#lanes.length >= this.#maxLanes) ready.push(this.#sendFirst());
    this.#made += 1;
    const lane: Lane = { number: this.#made, records: [], bytes: this.#limits.envelopeBytes };
    this.#lanes.push(lane);
    return lane;
  }

  #isFull(lane: Lane | undefined): boolean {
    return (
      lane !== undefined &&
      (lane.records.length >= this.#limits.maxRecords || lane.bytes >= this.#limits.maxBytes)
    );
  }

  #sendFirst(): OpenBatch {
    const lane = this.#lanes.shift() as Lane;
    if (this.#laneOfKey === undefined) return lane;
    for (const { key } of lane.records) {
      if (key !== undefined && this.#laneOfKey.get(key) === lane.number) this.#laneOfKey.delete(key);
    }
    return lane;
  }
}

function lanesOfKeys(lanes: readonly Lane[]): Map<string, number> {
  const laneOfKey = new Map<string, number>();
  for (const { number, records } of lanes) {
    for (const { key } of records) if (key !== undefined) laneOfKey.set(key, number);
  }
  return laneOfKey;
}
