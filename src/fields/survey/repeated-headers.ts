import type { Notice } from "../../model/reading.ts";

/** How often a CSV repeats its header, and where first. */
export class RepeatedHeaders {
  #count = 0;
  #first: number | undefined;

  /** The lines of some, in file order. */
  add(lines: readonly number[]): void {
    this.#count += lines.length;
    this.#first ??= lines[0];
  }

  get notices(): Notice[] {
    if (this.#first === undefined) return [];
    const others = this.#count === 1 ? "" : ` and ${this.#count - 1} times more`;
    return [{ text: `the header is repeated in line ${this.#first}${others}: passed over` }];
  }
}
