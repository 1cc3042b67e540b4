import type { Cell } from "../../model/problem-groups.ts";
import { ownText } from "../spreadsheet-text.ts";
import { type Example, isEarlier, later } from "../survey/example.ts";
import type { Evidence } from "../survey/plain-evidence.ts";
import type { Unreadable } from "../type-text.ts";
import { type DateRules, dateText, readDate, scanDate } from "./date.ts";
import {
  ANY_ORDER,
  DateScan,
  DMY,
  formatOption,
  isSingle,
  MDY,
  ORDERS,
  ShortYears,
  YMD,
} from "./short-years.ts";
import { dayNumber, type PackedDate } from "./time-zone.ts";
import { USUAL_PIVOT } from "./two-digit-year.ts";

/** The year may come first, unless the dates then span more than this many times the days of the other reading. */
const CLEARLY_WIDER = 2;
/** The span in days if days of the month are read as years; and a probability too small to count. */
const DAYS_AS_YEARS = 31 * 365;
const NEGLIGIBLE = 0.001;
/** More dates than this prove nothing more. */
const ENOUGH_DATES = 16;

interface Span {
  readonly from: PackedDate;
  readonly to: PackedDate;
}

/**
 * Watches dates such as `16/07/05`. With this separator the year usually comes last, and the dates are read that way,
 * but only if the column speaks against a year in front: some date would not exist or would lie in the future, or all
 * dates would be further apart, and more of them lie close together than chance explains.
 */
class YearFirstWatch {
  /** The first cell that can be read both ways, and the first whose year comes first or that is no date. */
  #both: Example | undefined;
  #only: Example | undefined;
  /**
   * `#isRuledOut`: the year of some cell certainly comes last; `#isShown`: the same for a two-digit year without
   * dashes.
   */
  #isRuledOut = false;
  #isShown = false;
  /** Some cell has a one-digit month: when the year comes first, months are written with two digits. */
  #hasBareMonth = false;
  readonly #spans: (Span | undefined)[] = [];
  readonly #dates = new Set<PackedDate>();

  add(scan: DateScan, line: number): void {
    if (scan.form === 0) return;
    const isWatched = scan.isShort && !scan.isDashed;
    if (scan.ymd === 0) {
      this.#isRuledOut = true;
      this.#isShown ||= isWatched;
    } else if (isWatched) this.#addOpen(scan, line);
  }

  /** The first cell whose year may come first although the column is read in `order`, which puts it last. */
  openAgainst(order: number, horizon: PackedDate): Example | undefined {
    const first = this.#spans[YMD];
    const last = this.#spans[order];
    if (this.#isRuledOut || this.#both === undefined || first === undefined || last === undefined)
      return undefined;
    if (this.#only !== undefined) return this.#both;
    if (first.to > horizon !== last.to > horizon) return last.to > horizon ? this.#both : undefined;
    if (last.from === last.to) return this.#hasBareMonth ? undefined : this.#both;
    const isOpen = daysOf(first) <= CLEARLY_WIDER * daysOf(last) || this.#mayLieSoByChance(daysOf(last));
    return isOpen ? this.#both : undefined;
  }

  /** True if the years of dates in this form certainly come last: then so do those of the file's other columns. */
  isYearLast(orders: number, horizon: PackedDate): boolean {
    if (this.#isShown) return true;
    const open = [DMY, MDY].filter((order) => (orders & order) !== 0);
    return this.#both !== undefined && open.every((order) => this.openAgainst(order, horizon) === undefined);
  }

  /**
   * Whether days of the month, read as years, may lie this close together by chance: with so few dates they easily do.
   */
  #mayLieSoByChance(days: number): boolean {
    if (this.#hasBareMonth) return false;
    const count = this.#dates.size;
    return count * (days / DAYS_AS_YEARS) ** (count - 1) > NEGLIGIBLE;
  }

  #addOpen(scan: DateScan, line: number): void {
    const { text, dmy, mdy } = scan;
    if (dmy === 0 && mdy === 0) {
      if (isEarlier(line, text, this.#only)) this.#only = { line, value: text };
      return;
    }
    if (isEarlier(line, text, this.#both)) this.#both = { line, value: text };
    this.#hasBareMonth ||= scan.hasBareMonth;
    if (this.#dates.size < ENOUGH_DATES) this.#dates.add(dmy === 0 ? mdy : dmy);
    for (const order of ORDERS) {
      const date = scan.under(order);
      if (date !== 0) this.#widen(order, date);
    }
  }

  #widen(order: number, date: PackedDate): void {
    const { from, to } = this.#spans[order] ?? { from: date, to: date };
    this.#spans[order] = { from: Math.min(from, date), to: Math.max(to, date) };
  }
}

function daysOf({ from, to }: Span): number {
  return dayNumber(to) - dayNumber(from);
}

/** The first and the last day of a column. */
interface DateSpan {
  readonly first: PackedDate;
  readonly last: PackedDate;
}

/** The first and the last day of a column under each order that is still possible. */
class DateRange {
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
