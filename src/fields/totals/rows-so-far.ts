import type { Row } from "../../model/row.ts";
import { isFilled } from "./row-fill.ts";
import { holdsFigure } from "./row-text.ts";
import type { WatchedColumns } from "./watched-columns.ts";

/** How full the rows so far are, of those that are neither blank nor suspect. */
export class RowsSoFar {
  count = 0;
  /** True as long as every key contains a digit. */
  keysHoldFigures = true;
  /** How many rows were suspect. */
  suspects = 0;
  /** Where the last row ends, suspects and blank ones counted. */
  end: number | undefined;
  /** The filled cells of all of them, and the fewest in one. */
  cells = 0;
  least = Infinity;
  /** True as long as the first cell of each holds a digit, or is blank. */
  areNumbered = true;
  /** Columns that none of them leaves blank. */
  #full: readonly number[] = [];

  /** Notes the next row, of which `filled` cells are filled. */
  note(row: Row, filled: number, { width, nullsAt }: WatchedColumns): void {
    if (this.count === 0) this.#full = Array.from({ length: width }, (_, column) => column);
    this.count++;
    this.cells += filled;
    if (filled < this.least) this.least = filled;
    if (this.areNumbered) this.areNumbered = !isFilled(row, 0, nullsAt[0]) || holdsFigure(row, 0);
    if (filled === width || this.#full.length === 0) return;
    if (this.isEmptier(row, { nullsAt })) {
      this.#full = this.#full.filter((column) => isFilled(row, column, nullsAt[column]));
    }
  }

  /**
   * Notes so many rows, of which the emptiest has `least` filled cells and the last ends at `end`; none leaves a column of
   * {@link full} blank.
   */
  noteAll(count: number, cells: number, least: number, end: number): void {
    this.end = end;
    this.count += count;
    this.cells += cells;
    this.least = Math.min(this.least, least);
  }

  /** The columns that no row so far leaves blank. */
  get full(): readonly number[] {
    return this.#full;
  }

  /** True for a row that leaves one of some columns blank that every row so far fills. */
  leavesBlank(row: Row, columns: readonly number[], { nullsAt }: Pick<WatchedColumns, "nullsAt">): boolean {
    return columns.some((column) => this.#full.includes(column) && !isFilled(row, column, nullsAt[column]));
  }

  /** True for a row without a key, date or number that every row so far has. */
  lacksOwnData(row: Row, columns: WatchedColumns): boolean {
    const { key, dates, digits } = columns;
    return this.leavesBlank(row, [...dates, ...digits, ...(key === undefined ? [] : [key])], columns);
  }

  /** True for a row that leaves a column blank that every row so far fills. */
  isEmptier(row: Row, { nullsAt }: Pick<WatchedColumns, "nullsAt">): boolean {
    return this.count > 0 && this.#full.some((column) => !isFilled(row, column, nullsAt[column]));
  }
}
