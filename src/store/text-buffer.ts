const FIRST_BYTES = 256;
/** The most bytes of UTF-8 for one UTF-16 unit. */
const MOST_BYTES_A_UNIT = 3;

/** Text in UTF-8 that grows at its end. As strings, lines would be many small objects that outlive collections of garbage. */
export class TextBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Its bytes, valid until more is added. */
  get content(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Returns the size of the text. */
  add(text: string): number {
    this.#reserve(MOST_BYTES_A_UNIT * text.length);
    const size = this.#bytes.write(text, this.#length);
    this.#length += size;
    return size;
  }

  addBytes(from: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    this.#length += from.copy(this.#bytes, this.#length, start, end);
  }

  /** Returns its bytes, and forgets them. */
  take(): Buffer {
    const { content } = this;
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
    return content;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length, FIRST_BYTES));
    this.content.copy(larger);
    this.#bytes = larger;
  }
}
