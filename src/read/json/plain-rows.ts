import { ABSENT } from "../../model/row.ts";
import { JsonCells } from "./json-cells.ts";
import type { JsonColumns } from "./json-columns.ts";
import { MemberPiece } from "./member-piece.ts";
import { skipBlanks } from "./nested-end.ts";
import { takePlainValue } from "./plain-value.ts";
import type { ScannedRow } from "./scanned-row.ts";

const NO_BYTES: Buffer = Buffer.alloc(0);
const COMMA = 0x2c;
const COLON = 0x3a;
const CLOSING_BRACE = 0x7d;
const LINE_FEED = 0x0a;
/** A row may omit this many columns, plus as many as it has members. */
const MOST_LEFT_OUT = 64;

/**
 * Finds rows that are like the one before: the same members in the same order, each a string, a number, true, false or
 * null. It reads them exactly as the strict scanner does, which takes all other rows. The input is known to be UTF-8.
 */
export class PlainRows implements ScannedRow {
  cells = new JsonCells(NO_BYTES, 0);
  firstCell = 0;
  width = 0;
  end = 0;
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
    const { cells } = this;
    cells.reserve(first + width);
    this.lines = 0;
    this.lastLineEnd = -1;
    let at = start;
    for (let ordinal = 0; ordinal < pieces.length; ordinal++) {
      const piece = pieces[ordinal]!;
      if (!piece.isAt(view, at)) return -1;
      this.#countLines(piece, at);
      at = takePlainValue(cells, first + piece.column, at + piece.length);
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
      at = takePlainValue(cells, cell, at + piece.length);
      if (at === -1) return -1;
      hasOwn ||= isOwn(piece.column);
      ordinal++;
      if (bytes[at] !== COMMA && bytes[at] !== CLOSING_BRACE) {
        const next = bytes[skipBlanks(bytes, at)];
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
    const sign = skipBlanks(bytes, at);
    if (ordinal > 0 && bytes[sign] !== COMMA) return undefined;
    const name = skipBlanks(bytes, sign + 1);
    if (source.compare(bytes, name, Math.min(name + source.length, bytes.length)) !== 0) return undefined;
    const colon = skipBlanks(bytes, name + source.length);
    if (bytes[colon] !== COLON) return undefined;
    const value = skipBlanks(bytes, colon + 1);
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

  /** The index of the first non-blank byte from `at` on; counts the lines. A carriage return is left to the strict scanner. */
  #passBlanks(at: number): number {
    const bytes = this.#bytes;
    const end = skipBlanks(bytes, at);
    for (let to = at; to < end; to++) {
      if (bytes[to] !== LINE_FEED) continue;
      this.lines++;
      this.lastLineEnd = to;
    }
    return end;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
