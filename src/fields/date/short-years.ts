import type { PackedDate } from "./calendar.ts";
import { ORDERS } from "./date-order.ts";
import type { DateScan } from "./date-scan.ts";
import { isEarlier, type Example } from "../survey/example.ts";

/** A cell with the date that it has under one order. */
export interface DatedCell extends Example {
  readonly date: PackedDate;
}

const YEAR = 10_000;

/**
 * The dates of a column with two-digit years: the latest date in each year, under each order. So it can be asked at the
 * end, for any day, whether a date is after it, and the order of the cells does not matter.
 */
export class ShortYears {
  readonly #latest = new Map<number, DatedCell>();

  get isEmpty(): boolean {
    return this.#latest.size === 0;
  }

  add(scan: DateScan, line: number): void {
    if (!scan.isShort) return;
    for (const order of ORDERS) {
      const date = scan.under(order);
      if (date !== 0) this.#keep(order, { line, value: scan.text, date });
    }
  }

  /** The cell of the first year that has a date after a day, under any of the orders. */
  firstAfter(day: PackedDate, orders: number): DatedCell | undefined {
    let first: DatedCell | undefined;
    for (const [place, cell] of this.#latest) {
      if ((placeOrder(place) & orders) === 0 || cell.date <= day) continue;
      if (first === undefined || isBefore(cell, first)) first = cell;
    }
    return first;
  }

  #keep(order: number, cell: DatedCell): void {
    const place = Math.trunc(cell.date / YEAR) * 8 + order;
    const latest = this.#latest.get(place);
    const isLater = latest === undefined || cell.date > latest.date;
    if (isLater || (cell.date === latest.date && isEarlier(cell.line, cell.value, latest)))
      this.#latest.set(place, cell);
  }
}

function placeOrder(place: number): number {
  return place % 8;
}

function isBefore(one: DatedCell, other: DatedCell): boolean {
  const years = Math.trunc(one.date / YEAR) - Math.trunc(other.date / YEAR);
  return years < 0 || (years === 0 && isEarlier(one.line, one.value, other));
}
