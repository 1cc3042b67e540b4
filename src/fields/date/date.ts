import { type Cell, expandJsonNumber, JsonNumber, UnusableCell } from "../../model/rows.ts";
import { findDamage } from "../key.ts";
import { SPACE, trimSpaces, undoSpreadsheetText } from "../spreadsheet-text.ts";
import {
  type DateFormat,
  noValueHint,
  type ReadValue,
  refuseOther,
  refuseText,
  type Unreadable,
} from "../type-text.ts";
import {
  type DateInZone,
  DAY_MS,
  explainDay,
  formatDate,
  fullYear,
  monthOf,
  openTimeZone,
  packDate,
  type PackedDate,
  packInstant,
  spellDate,
  USUAL_PIVOT,
} from "./calendar.ts";

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

/** `--type date_billed=date:DD/MM/YYYY`, or `--date-format` if the field is not known. */
export function formatOption(format: string, field: string | undefined): string {
  return field === undefined ? `--date-format ${format}` : `--type ${field}=date:${format}`;
}

/**
 * The context in which a text is read: the pinned format, the first of the hundred years that two digits mean, the field
 * for hints.
 */
interface DateContext {
  readonly format?: DateFormat | undefined;
  readonly pivotYear?: number | undefined;
  readonly field?: string | undefined;
}

/** One text, read as a date under each order. */
export class ScannedDate {
  readonly text: string;
  readonly pivotYear: number;
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
  /** Milliseconds since midnight; -1 if no time is written. */
  timeMs = -1;
  /** Minutes east of UTC; NaN if no zone is written. */
  offsetMinutes = Number.NaN;

  constructor(text: string, pivotYear = USUAL_PIVOT) {
    this.text = text;
    this.pivotYear = pivotYear;
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

/** All rules for reading one column's dates, as plain data. */
export interface DateRules {
  /** The orders that are left; if there are several, only dates on which they agree are read. */
  readonly orders: number;
  /** True if options fixed the order: then it also applies to dates that are usually written in another order. */
  readonly isPinned: boolean;
  /** The first of the hundred years that two digits stand for. */
  readonly pivotYear: number;
  /** The pinned format, otherwise that of the only order left. */
  readonly format: DateFormat | undefined;
  /** `--time-zone`. */
  readonly timeZone: string | undefined;
  /**
   * Of a date-time with a zone, and of an epoch. `refuse`: it has no certain date; `written`: every value of the column is at
   * midnight, and the date is kept as written; `convert`: its date is that in the time zone.
   */
  readonly zone: "refuse" | "written" | "convert";
  /** The field, for hints. */
  readonly field: string | undefined;
}

const FRACTION = String.raw`([.,]\d+)?`;
/** `T1430`, `T143000.5`. */
const BASIC = new RegExp(String.raw`^t(\d\d)(\d\d)(?:(\d\d)${FRACTION})?(?!\d)`, "i");
/** `T14:30:00.5`, and after a space `14:30`, `14h30`, `14 h`. */
const CLOCK = new RegExp(
  String.raw`^(?:t|,?${SPACE}+)(\d\d?)(?::(\d\d)(?!\d)(?::(\d\d)(?!\d)${FRACTION})?|${SPACE}*h${SPACE}*(\d\d)?(?!\d))`,
  "iu",
);
const HALF = new RegExp(String.raw`^${SPACE}*([ap])(?:m|\.\s?m\.?)(?![a-z])`, "i");
/** `Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `+02`, `GMT+0200`. */
const ZONE = /^(?:[Zz]|(?:UTC|GMT)?(?:([+-])(\d\d)(?::?(\d\d))?)?)$/;
const LEADING_SPACE = new RegExp(`^${SPACE}+`);

const NOT_A_TIME = "what follows the date is not a time";
const NO_SUCH_TIME = "its time does not exist";
const NOT_LIKE_A_DATE = "it is not written like a date";

/** Reads the time and the zone after a date, to the end of the text. Returns the reason for other text. */
function scanTime(scan: ScannedDate): string | undefined {
  let rest = scan.text.slice(scan.at);
  const clock = BASIC.exec(rest) ?? CLOCK.exec(rest);
  if (clock === null) return NOT_A_TIME;
  rest = rest.slice(clock[0].length);
  const half = HALF.exec(rest);
  const reason = takeClock(scan, clock, half?.[1]?.toLowerCase());
  if (reason !== undefined) return reason;
  rest = rest.slice(half?.[0].length ?? 0).replace(LEADING_SPACE, "");
  return rest === "" ? undefined : takeZone(scan, rest);
}

function takeClock(scan: ScannedDate, clock: RegExpExecArray, half: string | undefined): string | undefined {
  const [, hourText, minute = clock[5] ?? "0", second = "0", fraction = ""] = clock;
  let hour = Number(hourText);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return NO_SUCH_TIME;
    hour = (hour % 12) + (half === "p" ? 12 : 0);
  }
  // A leap second is written 23:59:60 (ISO 8601).
  if (hour > 23 || Number(minute) > 59 || Number(second) > 60) return NO_SUCH_TIME;
  // Rounded up, so that only zeros are midnight.
  const milliseconds = Math.min(Math.ceil(Number(`0.${fraction.slice(1) || "0"}`) * 1000), 999);
  scan.timeMs = ((hour * 60 + Number(minute)) * 60 + Number(second)) * 1000 + milliseconds;
  return undefined;
}

function takeZone(scan: ScannedDate, text: string): string | undefined {
  const zone = ZONE.exec(text);
  const [, sign, hours = "0", minutes = "0"] = zone ?? [];
  if (zone === null || Number(hours) > 14 || Number(minutes) > 59)
    return "what follows its time is no zone such as +02:00";
  scan.offsetMinutes = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  return undefined;
}

/** The zero of MySQL and the first date of .NET. */
const NO_DATE = /^(?:0000[-/]00[-/]00|0001[-/]01[-/]01|00[-/.]00[-/.]0000|01[-/.]01[-/.]0001)(?!\d)/;

/** Makes the reader of a settled column: it returns `YYYY-MM-DD` or the reason. Throws for an unknown time zone. */
export function dateReader(rules: DateRules): ReadValue {
  const dateInZone = rules.timeZone === undefined ? undefined : openTimeZone(rules.timeZone);
  return (cell) => {
    const scan = scanDateCell(cell, rules);
    if (!(scan instanceof ScannedDate)) return scan;
    const date = dateUnder(scan, rules, dateInZone);
    return typeof date === "number" ? formatDate(date) : date;
  };
}

/** The date that was read, under the rules of its column. */
export function dateUnder(
  scan: ScannedDate,
  rules: DateRules,
  dateInZone?: DateInZone,
): PackedDate | Unreadable {
  const date = dateUnderOrders(scan, rules);
  if (typeof date !== "number" || !scan.hasZone() || rules.zone === "written") return date;
  if (rules.zone === "refuse" || dateInZone === undefined)
    return { reason: "its date depends on the time zone", hint: "--time-zone Europe/Paris" };
  return dateInZone(instantOf(date, scan)) || { reason: "it is outside the years 1000 to 9999" };
}

/** Reads a cell that is not blank; returns why it is not a date under any order. */
export function scanDateCell(cell: Cell, context: DateContext): ScannedDate | Unreadable {
  const text =
    typeof cell === "string"
      ? undoSpreadsheetText(trimSpaces(cell))
      : cell instanceof JsonNumber
        ? expandJsonNumber(cell.source)
        : undefined;
  if (text !== undefined) return scanSerial(text, context) ?? scanDate(text, context);
  if (cell instanceof JsonNumber) return { reason: "the number is not a date" };
  return cell instanceof UnusableCell ? cell : refuseOther(cell, "a date");
}

/** Reads a trimmed text; returns why it is not a date under any order. */
export function scanDate(text: string, context: DateContext = {}): ScannedDate | Unreadable {
  const scan = new ScannedDate(text, context.pivotYear);
  let reason = scanDay(scan);
  if (reason === undefined && scan.at < text.length) reason = scanTime(scan);
  if (reason === undefined) return scan;
  const damage = findDamage(text);
  if (damage !== undefined) return { reason: damage };
  if (NO_DATE.test(text)) return { reason, hint: noValueHint(text) };
  return explainNumberAsDate(text, context) ?? refuseText(text, reason);
}

/** Letters, accurately enough for names of months: everything beyond ASCII that is not a space. */
const LETTER = String.raw`(?!${SPACE})[A-Za-z\u00a1-\uffff]`;
const GAP = String.raw`(?:${SPACE}*([/.\-])${SPACE}*|${SPACE}+)`;
const BEGINS_NAMED = new RegExp(`\\d*(?:${GAP})?${LETTER}`, "y");
/** Up to three numbers, with the signs between them; a missing sign is a space. */
const NUMBERS = new RegExp(String.raw`(\d+)(?:${GAP}(\d+)(?:${GAP}(\d+))?)?`, "y");

function scanDay(scan: ScannedDate): string | undefined {
  const numbers = execAt(NUMBERS, scan);
  if (numbers?.[1]!.length === 8) return takeCompact(scan, numbers[1]);
  if (execAt(BEGINS_NAMED, scan) !== null) return scanNamedDate(scan);
  return numbers === null ? NOT_LIKE_A_DATE : takeNumbers(scan, numbers);
}

function execAt(form: RegExp, { text, at }: ScannedDate): RegExpExecArray | null {
  form.lastIndex = at;
  return form.exec(text);
}

function dateUnderOrders(scan: ScannedDate, rules: DateRules): PackedDate | Unreadable {
  const { format, field } = rules;
  if (scan.form === 0) return scan.dmy;
  const orders = rules.isPinned ? rules.orders : rules.orders & scan.form;
  if (isSingle(orders)) return scan.under(orders) || { reason: explainUnderFormat(format) };
  let date: PackedDate = 0;
  for (const order of ORDERS) {
    const candidate = (orders & order) === 0 ? 0 : scan.under(order);
    if (candidate === 0 || candidate === date) continue;
    if (date !== 0) {
      const hint = formatOption("DD/MM/YYYY", field);
      return { reason: "the order of its day and month is not settled", hint };
    }
    date = candidate;
  }
  return date || { reason: explainUnderFormat(format) };
}

function instantOf(date: PackedDate, scan: ScannedDate): number {
  const midnight = Date.UTC(Math.trunc(date / 10_000), (Math.trunc(date / 100) % 100) - 1, date % 100);
  return midnight + scan.timeMs - scan.offsetMinutes * 60_000;
}

const MONTH = String.raw`(?<month>[\p{L}\p{M}]+)`;
const DAY = String.raw`(?<day>\d{1,2})(?:er|st|nd|rd|th|[\u00ba\u00aa\u00b0])?`;
const NAMED_GAP = String.raw`[\s./,\-]{0,3}`;
const OF = String.raw`(?:(?:de|del|of)\s)?`;
const YEAR = String.raw`(?<year>\d{4}|\d{2})(?!\d)`;

let forms: readonly RegExp[] | undefined;

/** Made for the first date of the kind: sets of letters in any case take a while. */
function namedForms(): readonly RegExp[] {
  forms ??= [
    // 5 juillet 2016, 1er mars 2016, 5 de julio de 2016, 23-Sep-11, 05JUL2016
    `^${DAY}${NAMED_GAP}${OF}${MONTH}${NAMED_GAP}${OF}${YEAR}`,
    // July 5, 2016, July 5th, 2016, Jul 5 16
    String.raw`^${MONTH}${NAMED_GAP}${DAY}[\s./,\-]{1,3}${YEAR}`,
    // 2016-Jul-05, 2016 July 5th
    String.raw`^(?<year>\d{4})${NAMED_GAP}${MONTH}${NAMED_GAP}${DAY}(?!\d)`,
  ].map((form) => new RegExp(form, "iu"));
  return forms;
}

/** Reads a date with a month name; a two-digit year comes last. Returns the reason if there is no such date. */
function scanNamedDate(scan: ScannedDate): string | undefined {
  for (const form of namedForms()) {
    const match = form.exec(scan.text);
    if (match === null) continue;
    const { month: name = "", day: dayText = "", year: yearText = "" } = match.groups ?? {};
    const month = monthOf(name);
    if (month === undefined) return "it names no month in a language that is read";
    scan.at = match[0].length;
    scan.isShort = yearText.length === 2;
    const day = Number(dayText);
    const year = scan.isShort ? fullYear(Number(yearText), scan.pivotYear) : Number(yearText);
    return takeCertain(scan, year, month, day);
  }
  return NOT_LIKE_A_DATE;
}

/** A date that reads the same under every order; returns the reason if there is no such day. */
function takeCertain(scan: ScannedDate, year: number, month: number, day: number): string | undefined {
  scan.setCertain(packDate(year, month, day));
  return scan.dmy === 0 ? explainDay(year, month, day) : undefined;
}

/** `20160705`; a time may follow. */
function takeCompact(scan: ScannedDate, digits: string): string | undefined {
  scan.at += digits.length;
  return takeCertain(scan, Number(digits.slice(0, 4)), Number(digits.slice(4, 6)), Number(digits.slice(6)));
}

/**
 * `DD/MM/YYYY`, `MM/DD/YYYY`, `YYYY-MM-DD`, and with a year of two digits any order, with any of the four separators; a
 * final dot after a date with dots is part of it. Returns the reason if the numbers have no such form.
 */
function takeNumbers(scan: ScannedDate, numbers: RegExpExecArray): string | undefined {
  const [whole, firstText = "", sign, secondText = "", nextSign, thirdText = ""] = numbers;
  if (secondText === "" && whole.length === scan.text.length) return "a number alone is not a date";
  if (thirdText === "" || sign !== nextSign || secondText.length > 2) return NOT_LIKE_A_DATE;
  scan.at += whole.length;
  if (sign === "." && scan.text[scan.at] === ".") scan.at++;
  const [first, second, third] = [Number(firstText), Number(secondText), Number(thirdText)];
  if (firstText.length === 4) {
    if (thirdText.length > 2) return NOT_LIKE_A_DATE;
    return takeCertain(scan, first, second, third);
  }
  if (firstText.length > 2) return NOT_LIKE_A_DATE;
  scan.isShort = thirdText.length < 4;
  const { pivotYear } = scan;
  const year = thirdText.length === 2 ? fullYear(third, pivotYear) : third;
  if (thirdText.length === 4 || thirdText.length === 2) {
    scan.form = DMY | MDY;
    scan.dmy = packDate(year, second, first);
    scan.mdy = packDate(year, first, second);
  }
  if (firstText.length === 2 && thirdText.length <= 2) {
    scan.ymd = packDate(fullYear(first, pivotYear), second, third);
    // A day of one digit may be half a year: only an option says that it is a day.
    scan.form |= thirdText.length === 2 ? YMD : DMY | MDY;
  }
  if (scan.form === 0) return NOT_LIKE_A_DATE;
  if (scan.dmy !== 0 || scan.mdy !== 0 || scan.ymd !== 0) return undefined;
  return second > 12 ? explainDay(year, first, second) : explainDay(year, second, first);
}

/** Why a date of three numbers that another format could read is no date in the column's format. */
function explainUnderFormat(format: DateFormat | undefined): string {
  return `it is not a date in the format ${format ?? "of its column"}`;
}

/** The forms of dates that are one number, by their formats, which only options fix. Eight digits are no serial of Excel. */
const SERIALS: Readonly<Partial<Record<DateFormat, RegExp>>> = {
  // A spreadsheet takes the zero of the first nine days away.
  DDMMYYYY: /^(\d?\d)(\d\d)(\d{4})$/,
  excel: /^-?(?!\d{8}$)\d+(?:[.,]\d+)?$/,
  epoch: /^-?\d+(?:[.,]\d+)?$/,
  "epoch-ms": /^-?\d+(?:[.,]\d+)?$/,
};

/** The serial of 1970-01-01 in the 1900 system, which counts 29 February 1900, a day that never existed. */
const EXCEL_1970 = 25_569;
const FALSE_LEAP_DAY = 60;
/** Epochs outside these years have another unit. */
const FIRST_MS = Date.UTC(1900, 0, 1);
const LAST_MS = Date.UTC(2200, 0, 1);
const YEAR_MS = 365 * DAY_MS;

/** Reads a number, if the format reads numbers; returns the reason if it is no date, and `undefined` for another text. */
function scanSerial(text: string, context: DateContext): ScannedDate | Unreadable | undefined {
  const { format } = context;
  const parts = format === undefined ? undefined : SERIALS[format]?.exec(text);
  if (parts == null) return undefined;
  const number = Number(text.replace(",", "."));
  if (format === "epoch" || format === "epoch-ms")
    return scanEpoch(text, number * (format === "epoch" ? 1000 : 1), context);
  const scan = new ScannedDate(text);
  if (format === "excel") {
    const serial = Math.floor(number);
    const days = serial - EXCEL_1970 + (serial < FALSE_LEAP_DAY ? 1 : 0);
    scan.setCertain(serial < 1 || serial === FALSE_LEAP_DAY ? 0 : packInstant(days * DAY_MS));
    return scan.dmy === 0 ? { reason: "no day has this serial" } : scan;
  }
  const [day, month, year] = parts.slice(1).map(Number) as [number, number, number];
  scan.setCertain(packDate(year, month, day));
  return scan.dmy === 0 ? { reason: explainDay(year, month, day) } : scan;
}

/**
 * An epoch is a moment written in UTC. 1970 and the day before it are no dates: programs write 0 and -1 for "no date", and
 * numbers of another unit fall there.
 */
function scanEpoch(text: string, ms: number, context: DateContext): ScannedDate | Unreadable {
  const date = packInstant(ms);
  if ((ms > -DAY_MS && ms < YEAR_MS) || ms < FIRST_MS || ms >= LAST_MS) {
    const told = date === 0 ? "no date" : spellDate(date);
    const reason = `it would be ${told}: it means none, or is in another unit`;
    return explainNumberAsDate(text, context) ?? { reason, hint: noValueHint(text) };
  }
  const scan = new ScannedDate(text);
  scan.setCertain(date);
  const sinceMidnight = ms - Math.floor(ms / DAY_MS) * DAY_MS;
  // Only zeros are midnight.
  scan.timeMs = Math.floor(sinceMidnight) || Math.ceil(sinceMidnight);
  scan.offsetMinutes = 0;
  return scan;
}

/** The option to paste for numbers that look like the internal date of a spreadsheet or a clock, of a column in another format. */
function explainNumberAsDate(text: string, { format: own, field }: DateContext): Unreadable | undefined {
  const as = (reason: string, format: DateFormat): Unreadable | undefined =>
    format === own ? undefined : { reason, hint: formatOption(format, field) };
  if (/^\d{5}(?:[.,]\d+)?$/.test(text)) return as("it looks like a spreadsheet date serial", "excel");
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return as("it looks like seconds since 1970", "epoch");
  if (/^\d{13}$/.test(text)) return as("it looks like milliseconds since 1970", "epoch-ms");
  // A number with the year first is a date without any option, so it never comes here.
  const [, day, month, year] = /^(\d\d)(\d\d)(\d{4})$/.exec(text) ?? [];
  return packDate(Number(year), Number(month), Number(day)) > 0
    ? as("its day seems to come first, without separators", "DDMMYYYY")
    : undefined;
}
