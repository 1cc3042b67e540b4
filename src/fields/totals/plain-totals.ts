import { isVisible } from "../../kernel/shapes.ts";
import { type CellSpans, ESCAPED, type Row } from "../../model/problem-groups.ts";
import { holdsFigure, mayNameTotal, type WatchedColumns } from "./rows-so-far.ts";
import type { TotalsWatch } from "./totals-watch.ts";

const BACKSLASH = 0x5c;
/** The first byte of the letters from U+00C0 to U+00FF. */
const LATIN_LETTERS = 0xc3;

/** Tells `TotalsWatch` of plain rows, whose cells already show that they are no totals. */
export class PlainTotals {
  readonly #watch: TotalsWatch;
  readonly #columns: WatchedColumns;
  /** By column: 1 if no row so far leaves it blank. */
  #isFull = new Uint8Array(0);
  #full: readonly number[] | undefined;

  constructor(watch: TotalsWatch, columns: WatchedColumns) {
    this.#watch = watch;
    this.#columns = columns;
  }

  /** Takes the next row, of which the cell `keyCell` is the key, or -1; false if it has to be judged with care. */
  take(spans: CellSpans, firstCell: number, start: number, end: number, keyCell: number): boolean {
    const rows = this.#watch.rowsSoFar;
    if (rows === undefined || (spans.areRowsAdjacent && start !== rows.end)) return false;
    if (rows.full !== this.#full) {
      this.#full = rows.full;
      this.#isFull = new Uint8Array(this.#columns.width);
      for (const column of rows.full) this.#isFull[column] = 1;
    }
    const filled = this.#countFilled(spans, firstCell);
    const { dates, digits } = this.#columns;
    // A total never has both a date and digits; a key alone may be a heading.
    const isOwn =
      keyCell < 0
        ? this.#holdsOne(spans, firstCell, dates) && this.#holdsOne(spans, firstCell, digits)
        : filled > 1;
    if (filled < 0 || !isOwn) return false;
    const row = { spans, firstCell } as unknown as Row;
    if (keyCell >= 0 && mayNameTotal(row, keyCell - firstCell)) return false;
    // A plain key holds a digit.
    if (rows.areNumbered && keyCell !== firstCell && isGiven(spans, firstCell) && !holdsFigure(row, 0))
      return false;
    rows.noteAll(1, filled, filled, end);
    return true;
  }

  /** How many cells are filled; -1 if that is not certain, or if one is blank that all rows so far fill. */
  #countFilled({ bytes, starts, ends, marks }: CellSpans, firstCell: number): number {
    const { width, nullsAt } = this.#columns;
    let filled = 0;
    for (let column = 0; column < width; column++) {
      const cell = firstCell + column;
      const start = starts[cell]!;
      if (start === ends[cell]) {
        if (this.#isFull[column] === 1) return -1;
        continue;
      }
      const first = bytes[start]!;
      const isEscape = first === BACKSLASH && (marks[cell]! & ESCAPED) !== 0;
      if (isEscape || (!isVisible(first) && first !== LATIN_LETTERS)) return -1;
      const nulls = nullsAt[column];
      if (nulls !== undefined && nulls.firstBytes[first] !== 0) return -1;
      filled += 1;
    }
    return filled;
  }

  #holdsOne(spans: CellSpans, firstCell: number, columns: readonly number[]): boolean {
    for (let at = 0; at < columns.length; at++) if (isGiven(spans, firstCell + columns[at]!)) return true;
    return false;
  }
}

function isGiven({ starts, ends }: CellSpans, cell: number): boolean {
  return starts[cell] !== ends[cell];
}
