import type { Row } from "../../model/row.ts";
import type { AmountScan } from "../amount/amount-scan.ts";
import { ColumnSums } from "./column-sums.ts";
import { isFilled } from "./row-fill.ts";
import { reads } from "./watched-cells.ts";
import type { WatchedColumns } from "./watched-columns.ts";

/** The sums of all amount columns of one input, which a row may hold. */
export class SumsSoFar {
  readonly #scan: AmountScan;
  #columns: WatchedColumns;
  readonly #sums = new Map<number, ColumnSums>();

  constructor(columns: WatchedColumns, scan: AmountScan) {
    this.#columns = columns;
    this.#scan = scan;
    this.grow(columns);
  }

  /** Takes the columns again once there are more of them. */
  grow(columns: WatchedColumns): void {
    this.#columns = columns;
    for (const { index, evidence } of columns.amounts) {
      if (!this.#sums.has(index)) this.#sums.set(index, new ColumnSums(index, evidence));
    }
  }

  /** Notes that a blank row has passed, or that there is a gap between two rows. */
  passBlank(isGap: boolean): void {
    for (const sums of this.#sums.values()) sums.passBlank(isGap);
  }

  /** Notes that the next amounts to be added belong to a suspect, which may carry its sum to another page. */
  expectSuspect(isCarried: boolean): void {
    for (const sums of this.#sums.values()) sums.expectSuspect(isCarried);
  }

  /** Notes that the amounts of the suspect are added. */
  passSuspect(): void {
    for (const sums of this.#sums.values()) sums.passSuspect();
  }

  /** The field of an amount that is the sum of at least `least` amounts above it, or whose sum is zero. */
  find(row: Row, least: number, isZero = false): string | undefined {
    return this.#columns.amounts.find(({ index }) => this.#addsUp(row, index, least, isZero))?.field;
  }

  /** How many amounts of a row are the sum of several above them. */
  count(row: Row): number {
    return this.#columns.amounts.filter(({ index }) => this.#addsUp(row, index, 2, false)).length;
  }

  /** True if a column holds amounts. */
  isOpen(column: number): boolean {
    return this.#sums.get(column)?.isOpen === true;
  }

  #addsUp(row: Row, column: number, least: number, isZero: boolean): boolean {
    if (!this.isOpen(column) || !isFilled(row, column, this.#columns.nullsAt[column])) return false;
    return reads(row, column, this.#scan) && this.#sums.get(column)!.addsUp(this.#scan, least, isZero);
  }
}
