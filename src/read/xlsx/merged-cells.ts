import { faultToken } from "./cell-fault.ts";
import type { CellWriter } from "./cell-writer.ts";

/** Merged cells; the value of all is in the first one. Rows and columns are counted from 1 and 0. */
export interface MergedRange {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

const REFERENCE = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/;

/** Reads a range such as `A1:B3`; `undefined` for anything else. */
export function readRange(reference: string): MergedRange | undefined {
  const [match, left = "", top, right = left, bottom = top] = REFERENCE.exec(reference) ?? [];
  if (match === undefined) return undefined;
  return { top: Number(top), bottom: Number(bottom), left: columnOf(left), right: columnOf(right) };
}

function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = 26 * column + letter.charCodeAt(0) - 0x40;
  return column - 1;
}

/**
 * Marks the cells of a row that are merged with a filled one above: the sheet has one value for several rows there, and whether
 * all of them have it is not certain. Cells merged along a row are blank, as in a CSV of the sheet.
 */
export class MergedCells {
  /** By first row, falling, so that the next one is the last. */
  readonly #ranges: MergedRange[];
  #open: MergedRange[] = [];
  #row = 0;
  /** The columns that are marked in the row at hand, falling. */
  #columns: number[] = [];

  constructor(ranges: readonly MergedRange[]) {
    this.#ranges = ranges
      .filter(({ top, bottom }) => bottom > top)
      .sort((one, other) => other.top - one.top || other.left - one.left);
  }

  /** To be called before a cell is written. */
  beforeCell(row: number, column: number, writer: CellWriter): void {
    if (this.#ranges.length === 0 && this.#open.length === 0) return;
    if (row !== this.#row || writer.width === 0) this.#beginRow(row);
    this.#mark(column, writer);
    // A range that begins here, and has a value.
    for (let at = this.#ranges.length - 1; at >= 0 && this.#ranges[at]!.top === row; at--) {
      const range = this.#ranges[at]!;
      if (range.left === column && !this.#open.includes(range)) this.#open.push(range);
    }
  }

  /** To be called after the last cell of a row that holds something. */
  endRow(row: number, writer: CellWriter): void {
    if (this.#open.length > 0 && row === this.#row) this.#mark(Infinity, writer);
  }

  #beginRow(row: number): void {
    this.#row = row;
    this.#open = this.#open.filter(({ bottom }) => bottom >= row);
    while (this.#ranges.length > 0 && this.#ranges.at(-1)!.top < row) this.#ranges.pop();
    this.#columns = this.#open
      .filter(({ top }) => top < row)
      .flatMap(({ left, right }) => Array.from({ length: right - left + 1 }, (_, at) => left + at))
      .sort((one, other) => other - one);
  }

  #mark(before: number, writer: CellWriter): void {
    while (this.#columns.length > 0 && this.#columns.at(-1)! < before) {
      const column = this.#columns.pop()!;
      if (column < writer.width) continue;
      writer.beginCell(column);
      writer.token(faultToken("MERGED"));
    }
    if (this.#columns.at(-1) === before) this.#columns.pop();
  }
}
