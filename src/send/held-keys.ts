import type { PreparedRecord } from "../model/record.ts";

/** Number of failed updates that are remembered; a run that meets more stops, as its service is down. */
export const MAX_HELD_KEYS = 100_000;

/**
 * The keys of failed updates. Later rows with them are not sent, so that a resume sends the rows of a key in their order.
 */
export class HeldKeys {
  readonly #keys = new Set<string>();

  /** False when there are too many to remember. */
  hold(records: readonly PreparedRecord[]): boolean {
    for (const { key } of records) {
      // A copy: the key may be a piece of a long text, which would stay in memory with it.
      if (key !== undefined) this.#keys.add(structuredClone(key));
    }
    return this.#keys.size <= MAX_HELD_KEYS;
  }

  /** The records that may be sent. */
  allowed(records: readonly PreparedRecord[]): readonly PreparedRecord[] {
    if (this.#keys.size === 0) return records;
    return records.filter(({ key }) => key === undefined || !this.#keys.has(key));
  }
}
