const LEAST_BYTES = 65_536;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;

/**
 * Writes the rows of a sheet as CSV: texts in quotes, everything else without them, one line end after each row. A row ends
 * with its last filled cell: the reader knows how wide the sheet is.
 */
export class CellWriter {
  bytes = Buffer.allocUnsafeSlow(LEAST_BYTES);
  at = 0;
  #rowStart = 0;
  #width = 0;
  #filled = 0;
  /** The cells of the widest row so far. */
  widest = 0;
  /** Rows so far with at least two filled cells. */
  wideRows = 0;
  /** The first of them, as it is written. */
  heading = "";

  /** Begins a cell of the row at hand; the columns before it, from the last one on, are empty. */
  beginCell(column: number): void {
    const commas = this.#width === 0 ? column : column - this.#width + 1;
    this.#reserve(commas);
    this.at += commas;
    this.bytes.fill(COMMA, this.at - commas, this.at);
    this.#width = column + 1;
    this.#filled++;
  }

  /** How many cells the row at hand has so far. */
  get width(): number {
    return this.#width;
  }

  /** How many bytes the row at hand has so far. */
  get rowBytes(): number {
    return this.at - this.#rowStart;
  }

  /** Copies bytes as they are. */
  raw(from: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    let { at } = this;
    const { bytes } = this;
    for (let source = start; source < end; source++) bytes[at++] = from[source]!;
    this.at = at;
  }

  /** Writes a value that is no text: `true`, or the token of a fault. */
  token(text: string): void {
    this.#reserve(3 * text.length);
    this.at += this.bytes.write(text, this.at);
  }

  /** A text in quotes. */
  text(text: string): void {
    this.token(quoteSheetText(text));
  }

  endRow(): void {
    if (this.#filled > 1 && this.wideRows++ === 0)
      this.heading = this.bytes.toString("utf8", this.#rowStart, this.at);
    this.widest = Math.max(this.widest, this.#width);
    this.#reserve(1);
    this.bytes[this.at++] = LINE_FEED;
    this.#rowStart = this.at;
    this.#width = 0;
    this.#filled = 0;
  }

  /** Forgets the row at hand. */
  dropRow(): void {
    this.at = this.#rowStart;
    this.#width = 0;
    this.#filled = 0;
  }

  /** The rows so far, of which the last is complete. The bytes are lent until the next row begins. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.at);
    this.at = this.#rowStart = 0;
    return taken;
  }

  /** Makes room for this many bytes. */
  #reserve(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.at + bytes));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}

/** A text as it is written to a row. */
export function quoteSheetText(text: string): string {
  return `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`;
}
