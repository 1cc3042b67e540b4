import { dayNumber, type PackedDate } from "./calendar.ts";
import { DMY, MDY, ORDERS, YMD } from "./date-order.ts";
import type { DateScan } from "./date-scan.ts";
import { isEarlier, type Example } from "../survey/example.ts";

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
export class YearFirstWatch {
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
