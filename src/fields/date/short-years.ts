import { type Example, isEarlier } from "../survey/example.ts";
import { type DateFormat, noValueHint, type Unreadable } from "../type-text.ts";
import { DAY_MS, monthName, packDate, type PackedDate, packInstant, spellDate } from "./time-zone.ts";
import { USUAL_PIVOT } from "./two-digit-year.ts";

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

const NUMBER = /^(-?)(\d+)(?:[.,](\d+))?$/;
const COMPACT = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;

const YEAR_MS = 365 * DAY_MS;
/** Midnight in any time zone is a whole number of these in UTC; a number in another unit hardly ever is. */
const QUARTER_HOUR_MS = 900_000;
/** As seconds: the years 5138 to 9998. The end of 9999 is written where there is no last day. */
const FIRST_FAR_MS = 1e14;
const LAST_FAR_MS = Date.UTC(9999, 0, 1);

/**
 * Parses a number of seconds or milliseconds since 1970 into `scan`, as a date and time in UTC; returns why it is not a
 * date. The day around the start of 1970 is none: programs write 0 and -1 for no date. The rest of 1970 is taken only
 * at a whole quarter of an hour: what is left are numbers of another unit.
 */
export function scanEpoch(
  text: string,
  unit: "epoch" | "epoch-ms",
  scan: DateScan,
  field: string | undefined,
): Unreadable | undefined {
  const [, sign, whole = "", fraction = ""] = NUMBER.exec(text)!;
  const decimals = unit === "epoch" ? 3 : 0;
  const milliseconds = Number(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  const hasRest = /[1-9]/.test(fraction.slice(decimals));
  const utcMs = sign === "-" ? -milliseconds - (hasRest ? 1 : 0) : milliseconds;
  const date = packInstant(utcMs);
  if (unit === "epoch" && utcMs >= FIRST_FAR_MS && utcMs < LAST_FAR_MS)
    return { reason: "it looks like milliseconds since 1970", hint: formatOption("epoch-ms", field) };
  if (date === 0) {
    const other = unit === "epoch" ? explainNumberAsDate(text, field) : undefined;
    return other ?? { reason: "it is outside the years 1000 to 9999" };
  }
  scan.setCertain(date);
  const isFirstDay = Math.abs(utcMs) < DAY_MS;
  const is1970 = utcMs >= DAY_MS && utcMs < YEAR_MS;
  if (isFirstDay || (is1970 && (hasRest || utcMs % QUARTER_HOUR_MS !== 0)))
    return explainStart(text, unit, spellDate(date), field);
  const sinceMidnight = ((utcMs % DAY_MS) + DAY_MS) % DAY_MS;
  scan.timeMs = sinceMidnight === 0 && hasRest ? 1 : sinceMidnight;
  scan.offsetMinutes = 0;
  return undefined;
}

/** Why a number at the start of 1970 is no date. */
function explainStart(
  text: string,
  unit: "epoch" | "epoch-ms",
  date: string,
  field: string | undefined,
): Unreadable {
  if (Number(text.replace(",", ".")) <= 0) {
    return { reason: `it is ${date}, which programs write for no date`, hint: noValueHint(text) };
  }
  if (COMPACT.test(text))
    return {
      reason: "it looks like a date without separators",
      hint: formatOption("YYYY-MM-DD", field),
    };
  const other = explainNumberAsDate(text, field);
  if (other !== undefined && !other.hint?.endsWith(unit)) return other;
  return { reason: `it would be ${date}: the number is probably in another unit` };
}

/** Why a year, a month and a day do not make a date, given that they do not. */
export function explainDay(year: number, month: number, day: number): string {
  if (year < 1000) return `the year ${String(year).padStart(4, "0")} is not taken`;
  if (month < 1 || month > 12) return `${month} is not a month`;
  if (day < 1 || day > 31) return `${day} is not a day`;
  const ofYear = month === 2 && day === 29 ? ` ${year}` : "";
  return `${day} ${monthName(month)}${ofYear} is not a date`;
}

/** Why two numbers and a year do not make a date with either of them as the month, given that they do not. */
export function explainParts(first: number, second: number, year: number): string {
  if (year < 1000 || (first <= 12 && second <= 12)) return explainDay(year, second, first);
  if (first > 12 && second > 12) return `neither ${first} nor ${second} is a month`;
  return first > 12 ? explainDay(year, second, first) : explainDay(year, first, second);
}

/** Why a date of three numbers that another format could read is none in the column's format. */
export function explainUnderFormat(text: string, format: DateFormat | undefined): string {
  if (format === undefined) return "it is not in the format of its column";
  if (format === "DD/MM/YYYY" || format === "MM/DD/YYYY") {
    const month = Number(text.match(/\d+/g)?.[format === "MM/DD/YYYY" ? 0 : 1]);
    if (month > 12) return `${month} is not a month in the format ${format}`;
  }
  return `it is not a date in the format ${format}`;
}

/** The option to paste for numbers that look like the internal date of a spreadsheet or a clock. */
export function explainNumberAsDate(text: string, field: string | undefined): Unreadable | undefined {
  if (/^\d{5}(?:[.,]\d+)?$/.test(text)) {
    return { reason: "it looks like a spreadsheet date serial", hint: formatOption("excel", field) };
  }
  if (/^\d{10}(?:\.\d+)?$/.test(text)) {
    return { reason: "it looks like seconds since 1970", hint: formatOption("epoch", field) };
  }
  const [, day = "0", month, year] = /^(\d\d)(\d\d)(\d{4})$/.exec(text) ?? [];
  // A number with the year first is a date without any option, so none comes here.
  if (packDate(Number(year), Number(month), Number(day)) > 0)
    return {
      reason: "its day seems to come first, without separators",
      hint: formatOption("DDMMYYYY", field),
    };
  if (/^\d{13}$/.test(text)) {
    return { reason: "it looks like milliseconds since 1970", hint: formatOption("epoch-ms", field) };
  }
  return undefined;
}

/** `--type date_billed=date:DD/MM/YYYY`, or `--date-format` if the field is not known. */
export function formatOption(format: string, field: string | undefined): string {
  return field === undefined ? `--date-format ${format}` : `--type ${field}=date:${format}`;
}

/**
 * Result of scanning one cell as a date. One object serves many cells: each scan overwrites the last, so that
 * reading a million cells allocates nothing.
 */
export class DateScan {
  /** The first of the hundred years that two digits stand for; kept from scan to scan. */
  pivotYear = USUAL_PIVOT;
  text = "";
  /** Position up to which the text has been read. */
  at = 0;
  /** The date under each order, 0 if there is none; all three are equal if the order makes no difference. */
  dmy: PackedDate = 0;
  mdy: PackedDate = 0;
  ymd: PackedDate = 0;
  /** The orders that the way of writing leaves open; 0 if the order makes no difference. */
  form = 0;
  /** True if the year has two digits. */
  isShort = false;
  /** True if dashes separate the numbers: then a two-digit year may come first. */
  isDashed = false;
  /** True if the second number has one digit. */
  hasBareMonth = false;
  /** Milliseconds since midnight; -1 if no time is written. */
  timeMs = -1;
  /** Minutes east of UTC; NaN if no zone is written. */
  offsetMinutes = Number.NaN;

  begin(text: string): void {
    this.text = text;
    this.at = 0;
    this.dmy = this.mdy = this.ymd = this.form = 0;
    this.isShort = this.isDashed = this.hasBareMonth = false;
    this.timeMs = -1;
    this.offsetMinutes = Number.NaN;
  }

  /** Keeps a date that reads the same under every order. */
  setCertain(date: PackedDate): void {
    this.dmy = this.mdy = this.ymd = date;
    this.form = 0;
  }

  /** The date under one order. */
  under(order: number): PackedDate {
    if (order === DMY) return this.dmy;
    return order === MDY ? this.mdy : this.ymd;
  }

  /** The open orders under which the day exists. */
  possibleOrders(): number {
    return ((this.dmy && DMY) | (this.mdy && MDY) | (this.ymd && YMD)) & this.form;
  }

  hasZone(): boolean {
    return !Number.isNaN(this.offsetMinutes);
  }

  /** True if it has a time other than 00:00. */
  isTimed(): boolean {
    return this.timeMs > 0;
  }
}

/** Day, month, year: one bit of a set of orders. */
export const DMY = 1;
/** Month, day, year. */
export const MDY = 2;
/** Two-digit year, month, day. A four-digit year at the front is never in doubt. */
export const YMD = 4;
export const ANY_ORDER = DMY | MDY | YMD;
export const ORDERS = [DMY, MDY, YMD] as const;

/** The name with which an order can be pinned. */
export function orderFormat(order: number): DateFormat {
  if (order === DMY) return "DD/MM/YYYY";
  return order === MDY ? "MM/DD/YYYY" : "YY-MM-DD";
}

/** The orders that a format leaves for dates of three numbers: one, or none if the format is of another kind. */
export function formatOrders(format: DateFormat): number {
  if (format === "DD/MM/YYYY" || format === "DDMMYYYY") return DMY;
  if (format === "MM/DD/YYYY") return MDY;
  return format === "YY-MM-DD" ? YMD : 0;
}

/** True for a set of exactly one order. */
export function isSingle(set: number): boolean {
  return set !== 0 && (set & (set - 1)) === 0;
}
