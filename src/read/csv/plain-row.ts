import type { PlainDialect } from "./scan-cells.ts";

const LF = 10;
const CR = 13;
const SPACE = 32;
/** Bytes behind ASCII belong to characters of several bytes. */
const FIRST_BEYOND_ASCII = 0x80;

/** What stands at a place: a whole row, an empty line, the beginning of either, or what needs a closer look. */
export type PlainFind = "row" | "empty" | "cut" | "other";

/**
 * Rows and cells by one look at each byte of UTF-8, without making text of them: each scan overwrites the last. What
 * has not just the columns of the table, ends in a lone carriage return or is not plain for `scanCells` is `other`.
 */
export class PlainRowScan {
  /** Where the cells begin and end, without their quotes. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Behind the line end. */
  end = 0;
  /** Physical lines of the row. */
  lines = 0;
  /** True where a cell holds a doubled quote, so that its bytes are not its text. */
  hasDoubled = false;
  readonly #delimiter: number;
  readonly #quote: number;
  readonly #maxRowBytes: number;

  /** `delimiter` must be one ASCII character. */
  constructor({ delimiter, quote }: PlainDialect, width: number, maxRowBytes: number) {
    this.starts = new Int32Array(width);
    this.ends = new Int32Array(width);
    this.#delimiter = delimiter.charCodeAt(0);
    this.#quote = quote === "" ? -1 : quote.charCodeAt(0);
    this.#maxRowBytes = maxRowBytes;
  }

  /** Looks at the row that begins at `rowStart`. */
  scan(bytes: Buffer, rowStart: number): PlainFind {
    const { starts, ends } = this;
    const width = starts.length;
    const limit = bytes.length;
    const delimiter = this.#delimiter;
    const quote = this.#quote;
    let at = rowStart;
    let count = 0;
    let lines = 1;
    let hasDoubled = false;
    if (at >= limit) return "cut";
    let code = bytes[at]!;
    if (code === LF || code === CR) return this.#passLineEnd(bytes, at) ? "empty" : this.#cutOr(bytes, at);
    // A line of nothing but spaces is left out, and has one cell.
    if (width === 1 && code <= SPACE) return "other";
    for (;;) {
      if (code === quote) {
        at += 1;
        const start = at;
        for (; ; at += 1) {
          if (at + 1 >= limit) return "cut";
          code = bytes[at]!;
          if (code === quote) {
            if (bytes[at + 1] !== quote) break;
            hasDoubled = true;
            at += 1;
          } else if (code === LF) lines += 1;
          else if (code === CR && bytes[at + 1] !== LF) return "other";
        }
        if (count === width) return "other";
        starts[count] = start;
        ends[count] = at;
        at += 1;
        code = bytes[at]!;
        if (code !== delimiter && code !== LF && code !== CR) return "other";
      } else {
        const start = at;
        while (code !== delimiter && code !== LF && code !== CR) {
          if (code === quote) return "other";
          at += 1;
          if (at >= limit) return "cut";
          code = bytes[at]!;
        }
        if (count === width) return "other";
        starts[count] = start;
        ends[count] = at;
      }
      count += 1;
      if (code !== delimiter) break;
      at += 1;
      if (at >= limit) return "cut";
      code = bytes[at]!;
    }
    if (!this.#passLineEnd(bytes, at)) return this.#cutOr(bytes, at);
    if (count !== width || at - rowStart > this.#maxRowBytes) return "other";
    this.lines = lines;
    this.hasDoubled = hasDoubled;
    return "row";
  }

  /** True where a cell of the last row has a digit, or is empty: such a row is no header. */
  isEmptyOrHasDigit(bytes: Buffer, cell: number): boolean {
    const start = this.starts[cell]!;
    const end = this.ends[cell]!;
    for (let at = start; at < end; at += 1) {
      const code = bytes[at]!;
      if (code >= 0x30 && code <= 0x39) return true;
    }
    return start === end;
  }

  /** True where a cell of the last row begins with what is no space, for certain. */
  isFilled(bytes: Buffer, cell: number): boolean {
    const start = this.starts[cell]!;
    const first = bytes[start]!;
    return start < this.ends[cell]! && first > SPACE && first < FIRST_BEYOND_ASCII;
  }

  #passLineEnd(bytes: Buffer, at: number): boolean {
    const isPair = bytes[at] === CR && at + 1 < bytes.length && bytes[at + 1] === LF;
    if (bytes[at] !== LF && !isPair) return false;
    this.end = isPair ? at + 2 : at + 1;
    return true;
  }

  /** A carriage return at the end of the bytes may be the first half of a line end. */
  #cutOr(bytes: Buffer, at: number): PlainFind {
    return at + 1 >= bytes.length ? "cut" : "other";
  }
}
