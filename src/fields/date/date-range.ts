import type { PackedDate } from "./calendar.ts";
import { ORDERS } from "./date-order.ts";
import type { DateScan } from "./date-scan.ts";

/** The first and the last day of a column. */
interface DateSpan {
  readonly first: PackedDate;
  readonly last: PackedDate;
}

/** The first and the last day of a column under each order that is still possible. */
export class DateRange {
  readonly #first: PackedDate[] = [];
  readonly #last: PackedDate[] = [];

  /** Adds a cell whose order is open. */
  add(scan: DateScan): void {
    for (const order of ORDERS) this.#widen(order, scan.under(order));
  }

  /** Adds a cell whose order is pinned. */
  addRead(date: PackedDate): void {
    for (const order of ORDERS) this.#widen(order, date);
  }

  /**
   * The range once the order is settled; if several orders are left, or none, only where all of them read every date
   * alike.
   */
  under(orders: number): DateSpan | undefined {
    const order = ORDERS.find((one) => (one & orders) !== 0) ?? ORDERS[0];
    if (this.#last[order] === undefined) return undefined;
    return { first: this.#first[order]!, last: this.#last[order] };
  }

  #widen(order: number, date: PackedDate): void {
    if (date === 0) return;
    if (!(date >= this.#first[order]!)) this.#first[order] = date;
    if (!(date <= this.#last[order]!)) this.#last[order] = date;
  }
}
