import type { GivenValues } from "../record/examine-row.ts";

/** Counts for each used column in how many records it has a value. */
export class FillTally {
  readonly #filled: number[] = [];
  /**
   * Records in which all of the first {@link #width} columns have a value: most records, so that these cost nothing to
   * count.
   */
  #full = 0;
  #width = 0;

  /** Adds the values of a record; `width` is the number of used columns so far. */
  add({ count, slots, values }: GivenValues, width: number, sendsEmpty: boolean): void {
    if (count === width && !sendsEmpty) {
      if (width !== this.#width) this.#settleFull(width);
      this.#full++;
      return;
    }
    for (let at = 0; at < count; at++) {
      if (sendsEmpty && values[at] === "") continue;
      const slot = slots[at]!;
      this.#filled[slot] = (this.#filled[slot] ?? 0) + 1;
    }
  }

  /** Adds records in so many of which a column has a value. */
  addAll(slot: number, records: number): void {
    this.#filled[slot] = (this.#filled[slot] ?? 0) + records;
  }

  /** The number for one column, by its index among the used columns. */
  count(slot: number): number {
    return (this.#filled[slot] ?? 0) + (slot < this.#width ? this.#full : 0);
  }

  #settleFull(width: number): void {
    for (let slot = 0; slot < this.#width; slot++)
      this.#filled[slot] = (this.#filled[slot] ?? 0) + this.#full;
    this.#full = 0;
    this.#width = width;
  }
}
