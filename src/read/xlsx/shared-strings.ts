const FIRST_BYTES = 65_536;
const FIRST_TEXTS = 1024;

/** The texts that the cells of a workbook share, one after the other as they are written to a row. */
export class SharedStrings {
  count = 0;
  #texts = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** Where each of them ends. */
  #ends = new Uint32Array(FIRST_TEXTS);

  /** How much memory they need. */
  get bytes(): number {
    return this.#endOf(this.count - 1) + this.count * Uint32Array.BYTES_PER_ELEMENT;
  }

  /** Takes the next text as it is written to a row. */
  add(text: Buffer): void {
    const start = this.#endOf(this.count - 1);
    const end = start + text.length;
    if (end > this.#texts.length) {
      const larger = Buffer.allocUnsafeSlow(2 * end);
      this.#texts.copy(larger, 0, 0, start);
      this.#texts = larger;
    }
    if (this.count === this.#ends.length) {
      const larger = new Uint32Array(2 * this.count);
      larger.set(this.#ends);
      this.#ends = larger;
    }
    text.copy(this.#texts, start);
    this.#ends[this.count++] = end;
  }

  /** A text by its number. */
  find(index: number): string {
    return this.#texts.toString("utf8", this.#endOf(index - 1), this.#endOf(index));
  }

  #endOf(index: number): number {
    return index < 0 ? 0 : this.#ends[index]!;
  }
}
