import type { RecordList } from "../model/record-list.ts";

/** Number of failed updates that are remembered; a run with more of them stops, because its service is down. */
export const MAX_HELD_KEYS = 100_000;

/**
 * The keys of failed updates. Later rows with these keys are not sent, so that a resume sends the rows of a key in
 * order.
 */
export class HeldKeys {
  readonly #keys = new Set<string>();

  /** Remembers the keys; false if there are too many. */
  hold(records: RecordList): boolean {
    for (const { key } of records) {
      // A copy: the key may be a slice of a long text, which would otherwise stay in memory.
      if (key !== undefined) this.#keys.add(structuredClone(key));
    }
    return this.#keys.size <= MAX_HELD_KEYS;
  }

  /** The records that may be sent. */
  allowed(records: RecordList): RecordList {
    if (this.#keys.size === 0) return records;
    return records.filter(({ key }) => key === undefined || !this.#keys.has(key));
  }
}
