import type { Cell } from "../../model/row.ts";
import { ownText } from "../own-text.ts";
import { dateText, readDate, scanDate, type DateRules } from "./date.ts";
import { ANY_ORDER, DMY, isSingle, MDY, ORDERS, YMD } from "./date-order.ts";
import { formatOption } from "./date-reasons.ts";
import { DateRange } from "./date-range.ts";
import { DateScan } from "./date-scan.ts";
import { ShortYears } from "./short-years.ts";
import { USUAL_PIVOT } from "./two-digit-year.ts";
import { YearFirstWatch } from "./year-first-watch.ts";
import { isEarlier, later, type Example } from "../survey/example.ts";
import type { Evidence } from "../survey/evidence.ts";
import type { Unreadable } from "../value.ts";

/** Pairs of orders, by the bits of both. */
const PAIRS = [DMY | MDY, DMY | YMD, MDY | YMD] as const;

/** Maximum number of different texts that are remembered: the days of about ten years. */
const MOST_TAKEN = 4096;

/**
 * Evidence from a column of dates about its order and its time zones: sets of orders, and the first cell that proves
 * each, so that neither the number of cells nor their order matters.
 */
export class DateEvidence implements Evidence {
  /** The rules that options pinned; `undefined` if the order has to be found. */
  readonly pinned: DateRules | undefined;
  /** The pivot year that options pinned. */
  readonly pivotYear: number | undefined;
  readonly shortYears = new ShortYears();
  readonly yearFirst = new YearFirstWatch();
  readonly range = new DateRange();
  /** The orders that all cells so far leave open. */
  orders = ANY_ORDER;
  /** The orders under which some cell, whose form allows them, is an impossible date: proof by value, not by form. */
  disproved = 0;
  /** The first cell with a zone, and the first with a time other than midnight. */
  zoned: Example | undefined;
  timed: Example | undefined;
  readonly #field: string | undefined;
  readonly #scan = new DateScan();
  /** By text: the line where it was first added. */
  readonly #taken = new Map<string, number>();
  /** The first cell that excludes an order, by its bit. */
  readonly #excluding: (Example | undefined)[] = [];
  /** The first cell that two orders read differently, by their bits. */
  readonly #differing: (Example | undefined)[] = [];

  constructor(pinned: DateRules | undefined, pivotYear: number | undefined, field: string | undefined) {
    this.pinned = pinned;
    this.pivotYear = pivotYear;
    this.#scan.pivotYear = pivotYear ?? USUAL_PIVOT;
    this.#field = field;
  }

  add(cell: Cell, line: number): Unreadable | undefined {
    // A text that already occurred further up is no new evidence.
    const before = typeof cell === "string" ? this.#taken.get(cell) : undefined;
    if (before !== undefined && before <= line) return undefined;
    const unreadable = this.#take(cell, line);
    if (unreadable === undefined && typeof cell === "string" && this.#taken.size < MOST_TAKEN) {
      this.#taken.set(ownText(cell), line);
    }
    return unreadable;
  }

  #take(cell: Cell, line: number): Unreadable | undefined {
    const scan = this.#scan;
    let read = 0;
    if (this.pinned !== undefined) {
      const date = readDate(cell, this.pinned, scan);
      if (typeof date !== "number") return date;
      read = date;
    } else {
      const text = dateText(cell);
      if (typeof text !== "string") return text;
      const unreadable = scanDate(text, scan, this.#field);
      if (unreadable !== undefined) return unreadable;
    }
    if (scan.timeMs !== -1) this.#addTime(scan, line);
    const unreadable = scan.form === 0 ? undefined : this.#addOrders(scan, line);
    if (unreadable !== undefined) return unreadable;
    this.shortYears.add(scan, line);
    if (read === 0) this.range.add(scan);
    else this.range.addRead(read);
    return undefined;
  }

  /** For each of the given orders, the first cell that excludes it, if there is one. */
  excluding(orders: number): Example[] {
    const examples = ORDERS.filter((order) => (orders & order) !== 0).map((order) => this.#excluding[order]);
    return examples.filter((example) => example !== undefined);
  }

  /** The cell after which only one order was left. */
  proof(): Example | undefined {
    return isSingle(this.orders)
      ? this.excluding(ANY_ORDER).reduce<Example | undefined>(later, undefined)
      : undefined;
  }

  /** The first cell on which two of the remaining orders disagree. */
  disagreement(): Example | undefined {
    for (const pair of PAIRS) {
      const example = (pair & this.orders) === pair ? this.#differing[pair] : undefined;
      if (example !== undefined) return example;
    }
    return undefined;
  }

  #addOrders(scan: DateScan, line: number): Unreadable | undefined {
    const possible = scan.possibleOrders();
    if (this.pinned === undefined) this.yearFirst.add(scan, line);
    // With a separator other than a dash, only a pinned order reads the year first.
    if (possible === 0)
      return this.pinned === undefined
        ? {
            reason: "it is a date only if its year comes first",
            hint: formatOption("YY-MM-DD", this.#field),
          }
        : undefined;
    const excluded = ANY_ORDER & ~possible;
    if (excluded !== 0) {
      this.orders &= possible;
      this.disproved |= excluded & scan.form;
      for (const order of ORDERS) {
        if ((excluded & order) !== 0) keepEarliest(this.#excluding, order, line, scan.text);
      }
    }
    if (isSingle(possible)) return undefined;
    for (const pair of PAIRS) {
      if ((pair & possible) !== pair) continue;
      const isSame =
        pair === PAIRS[0] ? scan.dmy === scan.mdy : scan.ymd === (pair & DMY ? scan.dmy : scan.mdy);
      if (!isSame) keepEarliest(this.#differing, pair, line, scan.text);
    }
    return undefined;
  }

  #addTime(scan: DateScan, line: number): void {
    if (scan.hasZone() && isEarlier(line, scan.text, this.zoned)) this.zoned = { line, value: scan.text };
    if (scan.isTimed() && isEarlier(line, scan.text, this.timed)) this.timed = { line, value: scan.text };
  }
}

function keepEarliest(examples: (Example | undefined)[], index: number, line: number, value: string): void {
  if (isEarlier(line, value, examples[index])) examples[index] = { line, value };
}
