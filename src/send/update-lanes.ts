import type { ChunkRecords } from "../model/record-list.ts";
import { RisingKeys } from "../model/rising-keys.ts";
import { addRecord, hasRoom, openBatch, type BatchLimits, type OpenBatch } from "./open-batch.ts";

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
  readonly #maxLanes: number;
  readonly #lanes: Lane[] = [];
  /** The last open lane of each key; only once a key may repeat. */
  #laneOfKey: Map<string, number> | undefined;
  readonly #rising = new RisingKeys();
  readonly #hasDistinctKeys: boolean;
  #made = 0;

  constructor(maxLanes: number, hasDistinctKeys = false) {
    this.#hasDistinctKeys = hasDistinctKeys;
    this.#maxLanes = maxLanes;
  }

  /** False as long as no key that was added can equal an earlier one. */
  get mayRepeatKeys(): boolean {
    return this.#laneOfKey !== undefined;
  }

  /** Adds an update; batches that became ready are appended to `ready`, in order. */
  add(of: ChunkRecords, index: number, limits: BatchLimits, ready: OpenBatch[]): void {
    // Reading a key makes it anew.
    const key = this.#hasDistinctKeys ? "" : (of.key(index) ?? "");
    if (this.#laneOfKey === undefined && !this.#hasDistinctKeys && !this.#rising.add(key))
      this.#laneOfKey = lanesOfKeys(this.#lanes);
    const lane = this.#findLane(this.#laneOfKey?.get(key), of.bytes(index), limits, ready);
    addRecord(lane, of, index);
    this.#laneOfKey?.set(key, lane.number);
    while (isFull(this.#lanes[0], limits)) ready.push(this.#sendFirst());
  }

  /** The batches that are still open, in order. */
  drain(): OpenBatch[] {
    this.#laneOfKey?.clear();
    return this.#lanes.splice(0);
  }

  /** `after`: the number of the lane that must be sent before. */
  #findLane(after: number | undefined, bytes: number, limits: BatchLimits, ready: OpenBatch[]): Lane {
    for (let i = 0; i < this.#lanes.length;) {
      const lane = this.#lanes[i];
      if (lane === undefined || (after !== undefined && lane.number <= after)) i += 1;
      else if (hasRoom(lane, bytes, limits)) return lane;
      else if (i === 0) ready.push(this.#sendFirst());
      else i += 1;
    }
    if (this.#lanes.length >= this.#maxLanes) ready.push(this.#sendFirst());
    this.#made += 1;
    const lane: Lane = { number: this.#made, ...openBatch(limits) };
    this.#lanes.push(lane);
    return lane;
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

function isFull(lane: Lane | undefined, { maxRecords, maxBytes }: BatchLimits): boolean {
  return lane !== undefined && (lane.records.length >= maxRecords || lane.bytes >= maxBytes);
}

function lanesOfKeys(lanes: readonly Lane[]): Map<string, number> {
  const laneOfKey = new Map<string, number>();
  for (const { number, records } of lanes) {
    for (const { key } of records) if (key !== undefined) laneOfKey.set(key, number);
  }
  return laneOfKey;
}
