import { dayNumber, type PackedDate } from "./calendar.ts";
import { DMY, MDY, ORDERS, YMD } from "./date-order.ts";
import type { DateScan } from "./date-scan.ts";
import { isEarlier, type Example } from "../survey/example.ts";

/** The year may come first unless that makes the dates span more than this many times the days of the other reading. */
const CLEARLY_WIDER = 2;
/** Days of the years that the days of a month would be, were they years; and the chance that is too small to count. */
const DAYS_AS_YEARS = 31 * 365;
const NEGLIGIBLE = 0.001;
/** Further dates prove no more. */
const ENOUGH_DATES = 16;

interface Span {
  readonly from: PackedDate;
  readonly to: PackedDate;
}

/**
 * Watches dates such as `16/07/05`. With this separator the year usually comes last, and they are read so, but only if
 * the column speaks against a year in front: a date would not exist or lie ahead, or all would be further apart, and
 * more of them lie close together than by chance.
 */
export class YearFirstWatch {
  /** The first cell that can be read both ways, and the first that has its year in front or is no date. */
  #both: Example | undefined;
  #only: Example | undefined;
  /** `#isRuledOut`: a cell certainly has its year last; `#isShown`: so does a two-digit year without dashes. */
  #isRuledOut = false;
  #isShown = false;
  /** A cell has a month of one digit: with the year in front months are written with two. */
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

  /** The first cell that may have its year in front although the column is read in `order`, which has it last. */
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

  /** True if dates of this form have their years last for certain: then so have those of the file's other columns. */
  isYearLast(orders: number, horizon: PackedDate): boolean {
    if (this.#isShown) return true;
    const open = [DMY, MDY].filter((order) => (orders & order) !== 0);
    return this.#both !== undefined && open.every((order) => this.openAgainst(order, horizon) === undefined);
  }

  /** Whether days of the month, read as years, may lie that close together: so few dates do so easily. */
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
