import type { RecordList } from "../model/record-list.ts";
import type { Answer } from "./answer.ts";
import type { TransportFault } from "./transport-fault.ts";

/** Number of keys that are remembered individually; with more, every update waits. */
const MAX_LATE_KEYS = 100_000;

/**
 * True if the service, or a queue or gateway in front of it, may apply the request after this end, because nobody
 * said that it is over.
 */
export function mayLandLater(end: Answer | TransportFault, safeStatus: ReadonlySet<number>): boolean {
  if (end.kind === "fault") return end.stage === "lost" || end.stage === "timeout" || end.stage === "cut";
  const { status } = end;
  if (safeStatus.has(status)) return false;
  return status === 202 || status === 408 || (status > 501 && status !== 503);
}

/**
 * Keys of updates that were given up once and settled by a later try. Later rows with these keys wait, because the
 * first request may still land and would overwrite their values.
 */
export class LateKeys {
  /** When each key is free again; the one that was held first comes first. */
  readonly #freeAtMs = new Map<string, number>();
  readonly #max: number;
  /** When the last of all keys is free again that were ever held. */
  #latestMs = 0;
  #allFreeAtMs = 0;
  #earlierFreeAtMs = 0;

  constructor(max = MAX_LATE_KEYS) {
    this.#max = max;
  }

  hold(records: RecordList, untilMs: number, nowMs: number): void {
    this.#forget(nowMs);
    if (untilMs <= nowMs) return;
    this.#latestMs = Math.max(this.#latestMs, untilMs);
    for (const { key } of records) {
      if (key === undefined) continue;
      const freeAtMs = this.#freeAtMs.get(key) ?? 0;
      this.#freeAtMs.delete(key);
      // A copy: the key may be a slice of a long text, which would otherwise stay in memory.
      this.#freeAtMs.set(structuredClone(key), Math.max(untilMs, freeAtMs));
    }
    if (this.#freeAtMs.size <= this.#max) return;
    this.#freeAtMs.clear();
    this.#allFreeAtMs = this.#latestMs;
  }

  /** Every update waits until then. */
  holdAll(untilMs: number): void {
    this.#earlierFreeAtMs = Math.max(this.#earlierFreeAtMs, untilMs);
  }

  /** True while {@link holdAll} holds. */
  areAllHeld(nowMs: number): boolean {
    return this.#earlierFreeAtMs > nowMs;
  }

  /** Milliseconds until all of these records may be sent. */
  waitMs(records: RecordList, nowMs: number): number {
    let freeAtMs = Math.max(this.#allFreeAtMs, this.#earlierFreeAtMs);
    if (this.#freeAtMs.size > 0) {
      for (const { key } of records) {
        if (key !== undefined) freeAtMs = Math.max(freeAtMs, this.#freeAtMs.get(key) ?? 0);
      }
    }
    return Math.max(0, freeAtMs - nowMs);
  }

  #forget(nowMs: number): void {
    for (const [key, freeAtMs] of this.#freeAtMs) {
      if (freeAtMs > nowMs) return;
      this.#freeAtMs.delete(key);
    }
  }
}
