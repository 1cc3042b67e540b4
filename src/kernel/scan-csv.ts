import { QUOTED } from "../model/rows.ts";

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
/** Kinds of bytes outside quotes; all others are text. */
const [TEXT, DELIMITER, END_OF_LINE, QUOTE] = [0, 1, 2, 3];

/** Where cells are put as they are found. */
export interface CellPlaces {
  readonly bytes: Buffer;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly marks: Uint8Array;
  /** Makes room for this many cells in total. */
  reserve(cells: number): void;
}

/** Where rows of one line each are put. */
interface RowPlaces {
  add(line: number, start: number, end: number, firstCell: number, width: number): void;
}

/**
 * Finds the cells of plain rows of a CSV: of cells without quotes, and of cells in quotes that hold no quote and no line
 * end. It ends before any other row.
 */
export class PlainScan {
  /** Where the last row that was found ends, and the number of the next cell. */
  at = 0;
  nextCell = 0;
  readonly #quote: number;
  readonly #kinds = new Uint8Array(256);
  readonly #maxRowBytes: number;

  /** `delimiter`: its byte; `quote`: -1 if nothing is quoted. */
  constructor(delimiter: number, quote: number, maxRowBytes: number) {
    this.#quote = quote;
    this.#maxRowBytes = maxRowBytes;
    this.#kinds[LF] = END_OF_LINE;
    this.#kinds[CR] = END_OF_LINE;
    if (quote !== -1) this.#kinds[quote] = QUOTE;
    this.#kinds[delimiter] = DELIMITER;
  }

  /** Finds the rows from `from` on, the first of which is in `line`; returns how many there are. */
  scan(cells: CellPlaces, rows: RowPlaces, from: number, firstCell: number, line: number): number {
    this.at = from;
    this.nextCell = firstCell;
    const { bytes } = cells;
    let count = 0;
    // A row that begins with a blank may be blank.
    while (this.at < bytes.length && bytes[this.at]! > SPACE) {
      const start = this.at;
      const first = this.nextCell;
      if (!this.#scanRow(cells, start, first)) break;
      rows.add(line + count, start, this.at, first, this.nextCell - first);
      count += 1;
    }
    return count;
  }

  /** False for a row that is not plain, or whose end is not there. */
  #scanRow(cells: CellPlaces, from: number, firstCell: number): boolean {
    const { bytes } = cells;
    const kinds = this.#kinds;
    const limit = bytes.length;
    let { starts, ends, marks } = cells;
    let cell = firstCell;
    let at = from;
    for (;;) {
      if (cell === starts.length) {
        cells.reserve(cell + 1);
        ({ starts, ends, marks } = cells);
      }
      let kind = TEXT;
      if (at === limit) return false;
      if (bytes[at] === this.#quote) {
        const start = at + 1;
        at = this.#endOfQuoted(bytes, start);
        if (at === -1) return false;
        starts[cell] = start;
        ends[cell] = at;
        marks[cell] = QUOTED;
        at += 1;
        kind = kinds[bytes[at]!]!;
        if (kind === TEXT || kind === QUOTE) return false;
      } else {
        starts[cell] = at;
        while (at < limit && (kind = kinds[bytes[at]!]!) === TEXT) at += 1;
        if (at === limit || kind === QUOTE) return false;
        ends[cell] = at;
        marks[cell] = 0;
      }
      cell += 1;
      at += 1;
      if (kind === DELIMITER) continue;
      // A carriage return alone ends a line too, unless a line feed may follow.
      if (bytes[at - 1] === CR && (at === limit || bytes[at++] !== LF)) return false;
      if (at - from > this.#maxRowBytes) return false;
      this.at = at;
      this.nextCell = cell;
      return true;
    }
  }

  /** The closing quote of a cell whose text begins at `from`, before another byte; -1 if a line ends in it, or it is not there. */
  #endOfQuoted(bytes: Buffer, from: number): number {
    const quote = this.#quote;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === quote) return at + 1 < bytes.length ? at : -1;
      if (byte === LF || byte === CR) return -1;
    }
    return -1;
  }
}
