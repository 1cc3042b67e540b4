/** Fewer values than this prove nothing about a width. */
const LEAST_VALUES = 10;
/** If at least this share of the values has one width, shorter ones are reported. */
const MOSTLY = 0.9;
const MAX_WIDTH = 64;

/** Watches how many digits the values of a column have, in bounded memory. */
export class WidthWatch {
  readonly #counts = Array.from({ length: MAX_WIDTH + 1 }, () => 0);
  readonly #firstLines = Array.from({ length: MAX_WIDTH + 1 }, () => 0);

  add(digits: number, line: number): void {
    const width = Math.min(digits, MAX_WIDTH);
    if (this.#counts[width]!++ === 0) this.#firstLines[width] = line;
  }

  /** `nearly all have 8 digits, 3 have 6 or 7 (the first in line 12)`, if leading zeros seem to be lost. */
  describeShort(): string | undefined {
    const values = this.#counts.reduce((sum, count) => sum + count, 0);
    const usual = this.#counts.indexOf(Math.max(...this.#counts));
    const short = this.#counts.flatMap((count, width) => (count > 0 && width < usual ? [width] : []));
    if (values < LEAST_VALUES || this.#counts[usual]! < values * MOSTLY || short.length === 0)
      return undefined;
    const count = short.reduce((sum, width) => sum + this.#counts[width]!, 0);
    const line = Math.min(...short.map((width) => this.#firstLines[width]!));
    const have = count === 1 ? "1 has" : `${count} have`;
    return `nearly all have ${usual} digits, ${have} ${short.join(" or ")} (the first in line ${line})`;
  }
}
