import type { Dialect } from "../../model/reading.ts";
import { ESCAPED, QUOTED } from "../../model/rows.ts";
import type { ByteCells } from "../rows.ts";

/** The settled marks of a CSV. */
export type Marks = Pick<Dialect, "delimiter" | "quote" | "escape">;

/** The marks, and how a comment line begins. */
export type CsvDialect = Marks & Pick<Dialect, "comment" | "sheetWidth">;

/** Kinds of bytes; all others are text. */
const TEXT = 0;
const DELIMITER = 1;
const LINE_FEED = 2;
const CARRIAGE_RETURN = 3;
const QUOTE = 4;
const BACKSLASH = 5;

/** A dialect as bytes of UTF-8: the one grammar that every scan follows. */
export interface CsvGrammar {
  readonly delimiter: Buffer;
  /** -1 if nothing is quoted. */
  readonly quote: number;
  readonly isBackslashEscape: boolean;
  /** Empty if there are no comments. */
  readonly comment: Buffer;
  /** See {@link Dialect.sheetWidth}; 0 for a CSV. */
  readonly sheetWidth: number;
  /** By byte: its kind outside quotes. */
  readonly bare: Uint8Array;
  /** By byte: its kind inside quotes. */
  readonly quoted: Uint8Array;
}

/** The grammar of a dialect. */
export function toGrammar({ delimiter, quote, escape, comment, sheetWidth = 0 }: CsvDialect): CsvGrammar {
  const mark = quote === "" ? -1 : quote.charCodeAt(0);
  const isBackslashEscape = escape === "\\";
  const bare = new Uint8Array(256);
  const quoted = new Uint8Array(256);
  for (const kinds of [bare, quoted]) {
    kinds[0x0a] = LINE_FEED;
    kinds[0x0d] = CARRIAGE_RETURN;
    if (mark !== -1) kinds[mark] = QUOTE;
  }
  const bytes = Buffer.from(delimiter);
  bare[bytes[0]!] = DELIMITER;
  if (isBackslashEscape) quoted[0x5c] = BACKSLASH;
  const marks = { delimiter: bytes, quote: mark, isBackslashEscape, comment: Buffer.from(comment) };
  return { ...marks, sheetWidth, bare, quoted };
}

/** True if the whole delimiter is at `at`; the first byte has been checked already. */
function isWholeDelimiter(bytes: Buffer, at: number, limit: number, delimiter: Buffer): boolean {
  if (at + delimiter.length > limit) return false;
  for (let i = 1; i < delimiter.length; i += 1) {
    if (bytes[at + i] !== delimiter[i]) return false;
  }
  return true;
}

/** True if a comment begins at `at`. */
export function isComment(bytes: Buffer, at: number, { comment }: CsvGrammar): boolean {
  if (comment.length === 0 || bytes[at] !== comment[0]) return false;
  return bytes.subarray(at, at + comment.length).equals(comment);
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const TAB = 9;
/** Stands for "no byte": the end of the bytes. */
const END = -1;
/** `=""` is how spreadsheets write an empty text; JSON in a cell contains empty texts too. */
const FREE_OF_DOUBT = new Set(Buffer.from("={["));

/** Why the quotes of a row cannot be read with certainty. */
export type QuoteFault =
  | "odd-quotes"
  | "doubled-quotes"
  | "text-after-quote"
  | "unclosed-quote"
  | "blank-before-quote"
  | "backslash";

/** The index after the line end at `at`; -1 if the next byte decides and is not available yet. */
export function lineEnd(bytes: Buffer, at: number, isLast: boolean): number {
  if (bytes[at] === LF) return at + 1;
  // A carriage return alone also ends a line.
  if (at + 1 >= bytes.length) return isLast ? at + 1 : -1;
  return bytes[at + 1] === LF ? at + 2 : at + 1;
}

/**
 * Finds the cells of one row after the other in the bytes of `cells`, and judges their quotes. A quote that does not
 * begin a cell is a literal; two cells with an odd number of such quotes are a fault, because the delimiter between
 * them may be text. The fields describe the last row.
 */
export class RowScan {
  /** The index after the row's line end. */
  end = 0;
  /** Number of cells in the row; with a fault, of those before it. */
  width = 0;
  /** Physical lines of the row; with a fault, of those before the line at fault. */
  lines = 0;
  /** Where the cell at fault begins, or the one that the limit cuts off. */
  at = 0;
  /** True if the limit cuts off a quoted cell. */
  isQuoted = false;
  /** True if the input ends with these bytes. */
  isLast = false;
  readonly #grammar: CsvGrammar;
  /** Where the last quoted cell ends, with the blanks behind its closing quote. */
  #behindQuoted = 0;
  #cells: ByteCells;

  constructor(grammar: CsvGrammar, cells: ByteCells) {
    this.#grammar = grammar;
    this.#cells = cells;
  }

  /** Continues in the bytes of other cells. */
  moveTo(cells: ByteCells, isLast: boolean): void {
    this.#cells = cells;
    this.isLast = isLast;
  }

  /**
   * Scans the row at `start`, up to `limit` at most; its cells are numbered from `firstCell`. `cut`: the row continues
   * beyond.
   */
  scan(start: number, limit: number, firstCell: number): "row" | "cut" | QuoteFault {
    const cells = this.#cells;
    const { bytes } = cells;
    const { bare, delimiter, quote } = this.#grammar;
    const delimiterBytes = delimiter.length;
    let { starts, ends, marks } = cells;
    let cell = firstCell;
    let at = start;
    let from = start;
    let oddCells = 0;
    let hasDoubled = false;
    let kind = DELIMITER;
    this.lines = 0;
    this.isQuoted = false;
    for (;;) {
      from = at;
      kind = TEXT;
      if (cell === starts.length) {
        cells.reserve(cell + 1);
        ({ starts, ends, marks } = cells);
      }
      if (at < limit && bytes[at] === quote) {
        const close = this.#endOfPlain(at + 1, limit);
        if (close === -1) {
          const fault = this.#scanQuoted(at, limit, cell);
          if (fault !== undefined) return this.#stop(fault, from, cell - firstCell);
          at = this.#behindQuoted;
        } else {
          starts[cell] = at + 1;
          ends[cell] = close;
          marks[cell] = QUOTED;
          at = close + 1;
        }
        if (at < limit) kind = bare[bytes[at]!]!;
      } else {
        let quotes = 0;
        for (; ; at += 1) {
          while (at < limit && (kind = bare[bytes[at]!]!) === TEXT) at += 1;
          if (at === limit) break;
          if (kind === QUOTE) {
            if (quotes === 0 && this.#isBlank(from, at))
              return this.#stop("blank-before-quote", from, cell - firstCell);
            if (bytes[at - 1] === quote && !FREE_OF_DOUBT.has(bytes[from]!)) hasDoubled = true;
            quotes += 1;
          } else if (kind !== DELIMITER || isWholeDelimiter(bytes, at, limit, delimiter)) break;
        }
        if (at === limit) kind = TEXT;
        oddCells += quotes & 1;
        starts[cell] = from;
        ends[cell] = at;
        marks[cell] = 0;
      }
      cell += 1;
      if (kind !== DELIMITER) break;
      at += delimiterBytes;
    }
    const width = cell - firstCell;
    if (!this.#findEnd(at, limit)) return this.#stop("cut", from, width - 1);
    this.lines += 1;
    // A quoted cell of several lines next to a stray quote may have swallowed other rows, so they are read again.
    if (oddCells > 1 || (oddCells === 1 && this.lines > 1)) {
      this.lines = 0;
      return this.#stop("odd-quotes", start, width);
    }
    if (hasDoubled) {
      // The whole row is left out: its end is certain, and none of its lines is a row.
      this.lines -= 1;
      return this.#stop("doubled-quotes", at, width);
    }
    this.at = from;
    this.width = width;
    return "row";
  }

  #stop<Result extends "cut" | QuoteFault>(result: Result, at: number, width: number): Result {
    this.at = at;
    this.width = width;
    return result;
  }

  /** The closing quote of a cell that holds no quote, line end or escape, as most do, before the next cell or a line end; else -1. */
  #endOfPlain(from: number, limit: number): number {
    const { bytes } = this.#cells;
    const { bare, quoted, quote, delimiter } = this.#grammar;
    let at = from;
    while (at < limit && quoted[bytes[at]!] === TEXT) at += 1;
    if (at + 1 >= limit || bytes[at] !== quote) return -1;
    const kind = bare[bytes[at + 1]!]!;
    return kind === LINE_FEED || kind === CARRIAGE_RETURN || (kind === DELIMITER && delimiter.length === 1)
      ? at
      : -1;
  }

  /** Finds the end of the quoted cell that opens at `open`. */
  #scanQuoted(open: number, limit: number, cell: number): "cut" | QuoteFault | undefined {
    const cells = this.#cells;
    const { bytes } = cells;
    const { bare, quoted, quote, isBackslashEscape, delimiter } = this.#grammar;
    const isEnd = this.isLast && limit === bytes.length;
    let lines = 0;
    let mark = QUOTED;
    for (let at = open + 1; at < limit; at += 1) {
      const kind = quoted[bytes[at]!]!;
      if (kind === TEXT) continue;
      if (kind === LINE_FEED) lines += bytes[at - 1] === CR ? 0 : 1;
      else if (kind === CARRIAGE_RETURN) lines += 1;
      else if (kind === BACKSLASH) {
        if (at + 1 < limit && bytes[at + 1] !== quote && bytes[at + 1] !== bytes[at]) return "backslash";
        mark |= ESCAPED;
        at += 1;
      } else {
        const next = at + 1 < limit ? bytes[at + 1]! : END;
        if (next === quote && !isBackslashEscape) {
          mark |= ESCAPED;
          at += 1;
          continue;
        }
        if (next === END && !isEnd) break;
        const behind = next === SPACE || next === TAB ? this.#skipBlanks(at + 1, limit) : at + 1;
        if (behind >= limit && !isEnd) break;
        const follower = behind < limit ? bytes[behind]! : END;
        const isClosed =
          follower === END ||
          follower === LF ||
          follower === CR ||
          (bare[follower] === DELIMITER && isWholeDelimiter(bytes, behind, limit, delimiter));
        if (!isClosed && !isEnd && behind + delimiter.length > limit) break;
        if (!isClosed) return "text-after-quote";
        this.#behindQuoted = behind;
        cells.starts[cell] = open + 1;
        cells.ends[cell] = at;
        cells.marks[cell] = mark;
        this.lines += lines;
        return undefined;
      }
    }
    this.isQuoted = true;
    return isEnd ? "unclosed-quote" : "cut";
  }

  /**
   * The index after the blanks from `at` on. Some programs write them between a closing quote and the delimiter: the cell
   * ends at its quote, and they are no part of it.
   */
  #skipBlanks(at: number, limit: number): number {
    const { bytes } = this.#cells;
    const [first] = this.#grammar.delimiter;
    let behind = at;
    while (behind < limit && (bytes[behind] === SPACE || bytes[behind] === TAB) && bytes[behind] !== first)
      behind += 1;
    return behind;
  }

  /** Finds the end of the row whose last cell ends at `at`; false if more bytes are needed. */
  #findEnd(at: number, limit: number): boolean {
    const { bytes } = this.#cells;
    this.end = at;
    if (at >= limit) return this.isLast && limit === bytes.length;
    this.end = lineEnd(bytes, at, this.isLast);
    return this.end !== -1;
  }

  #isBlank(from: number, to: number): boolean {
    const { bytes } = this.#cells;
    const [first] = this.#grammar.delimiter;
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at];
      if ((byte !== SPACE && byte !== TAB) || byte === first) return false;
    }
    return to > from;
  }
}
