import { ABSENT, ESCAPED, NO_TEXT } from "../../model/row.ts";
import { JsonCells } from "./json-cells.ts";
import type { JsonColumns } from "./json-columns.ts";
import { endOfNumber } from "./json-number.ts";
import { readEscapeLength } from "./json-string.ts";
import { wordOf } from "./json-listener.ts";
import { MemberPiece } from "./member-piece.ts";

const NO_BYTES: Buffer = Buffer.alloc(0);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const CLOSING_BRACE = 0x7d;
const MINUS = 0x2d;
const LINE_FEED = 0x0a;
/** A row may omit this many columns, plus as many as it has members. */
const MOST_LEFT_OUT = 64;

/** By byte: 1 if it ends a run of plain text in a string. */
const IS_SPECIAL = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
);

/**
 * Finds rows that are like the one before: the same members in the same order, each a string, a number, true, false or
 * null. It reads them exactly as the strict scanner does, which takes all other rows. The input is known to be UTF-8.
 */
export class PlainRows {
  cells = new JsonCells(NO_BYTES, 0);
  /** Number of the row's first cell, and how many cells it has. */
  firstCell = 0;
  width = 0;
  /** Index after the row's closing brace. */
  end = 0;
  /** Number of line ends in the row, and the index of the last one. */
  lines = 0;
  lastLineEnd = -1;
  #nextCell = 0;
  #bytes = NO_BYTES;
  #view = viewOf(NO_BYTES);
  /** By ordinal, as in an earlier row. */
  readonly #pieces: MemberPiece[] = [];
  /** Number of columns if the pieces contain each of them once and at least one belongs to records; else -1. */
  #completeWidth = -1;

  /**
   * Scans the row whose `{` is at `start`; `isOwn` says whether a column belongs to records. False if the row is not of
   * this kind.
   */
  scan(bytes: Buffer, start: number, columns: JsonColumns, isOwn: (column: number) => boolean): boolean {
    if (this.#bytes !== bytes) this.#moveTo(bytes);
    const width = columns.names.length;
    let end = width === this.#completeWidth ? this.#scanAlike(start, width) : -1;
    if (end === -1) end = this.#scanClosely(start, columns, isOwn);
    if (end === -1) return false;
    this.firstCell = this.#nextCell;
    this.#nextCell += width;
    this.width = width;
    this.end = end;
    return true;
  }

  /** Scans a row that has exactly the members of the pieces; -1 for any other. */
  #scanAlike(start: number, width: number): number {
    const [bytes, view, pieces] = [this.#bytes, this.#view, this.#pieces];
    const first = this.#nextCell;
    this.cells.reserve(first + width);
    this.lines = 0;
    this.lastLineEnd = -1;
    let at = start;
    for (let ordinal = 0; ordinal < pieces.length; ordinal++) {
      const piece = pieces[ordinal]!;
      if (!piece.isAt(view, at)) return -1;
      this.#countLines(piece, at);
      at = this.#takeValue(first + piece.column, at + piece.length);
      if (at === -1) return -1;
    }
    if (bytes[at] !== CLOSING_BRACE) at = this.#passBlanks(at);
    return bytes[at] === CLOSING_BRACE ? at + 1 : -1;
  }

  /** The same for members in any order; it learns their pieces. */
  #scanClosely(start: number, columns: JsonColumns, isOwn: (column: number) => boolean): number {
    const [bytes, view, pieces] = [this.#bytes, this.#view, this.#pieces];
    const width = columns.names.length;
    const most = columns.expected.length;
    if (width > 2 * most + MOST_LEFT_OUT) return -1;
    const { cells } = this;
    const first = this.#nextCell;
    cells.begin(first, width);
    this.lines = 0;
    this.lastLineEnd = -1;
    let hasOwn = false;
    let at = start;
    let ordinal = 0;
    do {
      let piece = pieces[ordinal];
      if (piece?.isAt(view, at) !== true) {
        piece = this.#learn(at, columns, ordinal);
        if (piece === undefined) return -1;
        pieces[ordinal] = piece;
        this.#completeWidth = -1;
      }
      this.#countLines(piece, at);
      const cell = first + piece.column;
      if ((cells.marks[cell]! & ABSENT) === 0) return -1;
      at = this.#takeValue(cell, at + piece.length);
      if (at === -1) return -1;
      hasOwn ||= isOwn(piece.column);
      ordinal++;
      if (bytes[at] !== COMMA && bytes[at] !== CLOSING_BRACE) {
        const next = bytes[this.#findBlank(at)];
        // The next piece begins after the value.
        if (next === CLOSING_BRACE) at = this.#passBlanks(at);
        else if (next !== COMMA) return -1;
      }
    } while (bytes[at] !== CLOSING_BRACE);
    if (!hasOwn || width > 2 * ordinal + MOST_LEFT_OUT) return -1;
    if (ordinal === width) {
      pieces.length = width;
      this.#completeWidth = width;
    }
    return at + 1;
  }

  /** The piece from `at` to the next value, if it has the expected name and the value has begun. */
  #learn(at: number, { expected, sources }: JsonColumns, ordinal: number): MemberPiece | undefined {
    const column = expected[ordinal];
    const source = column === undefined ? undefined : sources[column];
    if (column === undefined || source === undefined) return undefined;
    const bytes = this.#bytes;
    const sign = this.#findBlank(at);
    if (ordinal > 0 && bytes[sign] !== COMMA) return undefined;
    const name = this.#findBlank(sign + 1);
    if (source.compare(bytes, name, Math.min(name + source.length, bytes.length)) !== 0) return undefined;
    const colon = this.#findBlank(name + source.length);
    if (bytes[colon] !== COLON) return undefined;
    const value = this.#findBlank(colon + 1);
    return value < bytes.length ? new MemberPiece(column, bytes.subarray(at, value)) : undefined;
  }

  #moveTo(bytes: Buffer): void {
    // The next bytes probably hold about as many cells.
    this.cells = new JsonCells(bytes, Math.ceil(1.1 * this.#nextCell));
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.#nextCell = 0;
  }

  #countLines({ lines, lastLineEnd }: MemberPiece, at: number): void {
    if (lines === 0) return;
    this.lines += lines;
    this.lastLineEnd = at + lastLineEnd;
  }

  /** The index of the first non-blank byte from `at` on; a carriage return is left to the strict scanner. */
  #findBlank(at: number): number {
    const bytes = this.#bytes;
    let to = at;
    while (bytes[to] === 0x20 || bytes[to] === 0x09 || bytes[to] === LINE_FEED) to++;
    return to;
  }

  /** The same, and counts the lines as well. */
  #passBlanks(at: number): number {
    const end = this.#findBlank(at);
    for (let to = at; to < end; to++) {
      if (this.#bytes[to] !== LINE_FEED) continue;
      this.lines++;
      this.lastLineEnd = to;
    }
    return end;
  }

  /**
   * Takes the value at `from` as a cell; returns the index after it, or -1 if it is not a plain value or is cut off.
   */
  #takeValue(cell: number, from: number): number {
    const bytes = this.#bytes;
    const first = bytes[from];
    if (first === QUOTE) return this.#takeString(cell, from + 1);
    if (first === MINUS || (first !== undefined && first >= 0x30 && first <= 0x39)) {
      const end = endOfNumber(bytes, from);
      if (end < 0 || end >= bytes.length) return -1;
      // An exponent makes the value longer than its source.
      for (let at = from; at < end; at++) if ((bytes[at]! | 0x20) === 0x65) return -1;
      this.cells.put(cell, from, end, NO_TEXT);
      return end;
    }
    const word = first === undefined ? undefined : wordOf(first);
    if (word === undefined) return -1;
    const end = from + word.length;
    if (bytes.toString("latin1", from, end) !== word) return -1;
    this.cells.put(cell, from, word === "null" ? from : end, NO_TEXT);
    return end;
  }

  #takeString(cell: number, from: number): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    let mark = 0;
    for (let at = from; ;) {
      while (at < length && IS_SPECIAL[bytes[at]!] === 0) at++;
      if (at === length) return -1;
      if (bytes[at] === QUOTE) {
        this.cells.put(cell, from, at, mark);
        return at + 1;
      }
      if (bytes[at] !== BACKSLASH) return -1;
      const escape = readEscapeLength(bytes, at);
      if (escape <= 0 || (escape === 6 && mayBeHalfPair(bytes, at))) return -1;
      mark = ESCAPED;
      at += escape;
    }
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** `\ud800` to `\udfff`. */
function mayBeHalfPair(bytes: Buffer, at: number): boolean {
  return (bytes[at + 2]! | 0x20) === 0x64 && bytes[at + 3]! > 0x37;
}
