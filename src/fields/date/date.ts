import { expandJsonNumber } from "../../model/json-number.ts";
import { type Cell, JsonNumber, UnusableCell } from "../../model/problem-groups.ts";
import { findDamage } from "../key.ts";
import { isSpace, ownText, trimSpaces, undoSpreadsheetText } from "../spreadsheet-text.ts";
import {
  type DateFormat,
  noValueHint,
  type ReadValue,
  refuseOther,
  refuseText,
  type Unreadable,
} from "../type-text.ts";
import { scanTime } from "./date-time.ts";
import { monthOf, weekdayOf } from "./month-names.ts";
import {
  DateScan,
  DMY,
  explainDay,
  explainNumberAsDate,
  explainParts,
  explainUnderFormat,
  formatOption,
  isSingle,
  MDY,
  ORDERS,
  scanEpoch,
  YMD,
} from "./short-years.ts";
import {
  type DateInZone,
  DAY_MS,
  dayNumber,
  formatDate,
  packDate,
  type PackedDate,
  packInstant,
} from "./time-zone.ts";
import { fullYear } from "./two-digit-year.ts";

/** Treatment of a date-time with a zone, and of an epoch. */
type ZoneRule =
  /** Such a value has no certain date. */
  | { readonly kind: "refuse" }
  /** Every value of the column is at midnight: the date is kept as written. */
  | { readonly kind: "written" }
  /** Its date is that in the time zone. */
  | { readonly kind: "convert"; readonly dateInZone: DateInZone };

/** Everything that reading one column's dates depends on. */
export interface DateRules {
  /** The orders that are left; if there are several, only dates on which they agree are read. */
  readonly orders: number;
  /** True if options fixed the order: then it also applies to dates that are usually written in another order. */
  readonly isPinned: boolean;
  /** The first of the hundred years that two digits stand for. */
  readonly pivotYear: number;
  /** The pinned format, otherwise that of the only order left. */
  readonly format: DateFormat | undefined;
  readonly zone: ZoneRule;
  /** The field, for hints. */
  readonly field: string | undefined;
}

/** The days of about ten years. */
const MOST_KNOWN = 4096;

/** In the languages of the months: `le 5 juillet 2016`. */
export const ARTICLES: ReadonlySet<string> = new Set(["le", "el", "il", "the", "am", "den"]);
/** The zero of MySQL and the first date of .NET. */
const NO_DATE = /^(?:0000[-/]00[-/]00|0001[-/]01[-/]01|00[-/.]00[-/.]0000|01[-/.]01[-/.]0001)(?!\d)/;
const ARTICLE = new RegExp(`^(?:${[...ARTICLES].join("|")})\\s+`, "i");

/** Makes the reader of a settled column: it returns `YYYY-MM-DD` or the reason. */
export function dateReader(rules: DateRules): ReadValue {
  const scan = new DateScan();
  scan.pivotYear = rules.pivotYear;
  /** Dates repeat, and looking one up costs a third of reading it. */
  const known = new Map<string, string>();
  return (cell) => {
    const before = typeof cell === "string" ? known.get(cell) : undefined;
    if (before !== undefined) return before;
    const date = readDate(cell, rules, scan);
    if (typeof date !== "number") return date;
    const text = formatDate(date);
    if (typeof cell === "string" && known.size < MOST_KNOWN) known.set(ownText(cell), text);
    return text;
  };
}

/** Reads one cell under the rules of its column; the scan has their pivot year. */
export function readDate(cell: Cell, rules: DateRules, scan: DateScan): PackedDate | Unreadable {
  const text = dateText(cell);
  if (typeof text !== "string") return text;
  if (isSerialFormat(rules.format) && isSerial(text, rules.format)) {
    const unreadable = scanSerial(text, rules.format, scan, rules.field);
    if (unreadable !== undefined) return unreadable;
  } else {
    const unreadable = scanDate(text, scan, rules.field);
    if (unreadable !== undefined) return unreadable;
  }
  const date = dateUnderOrders(scan, rules);
  return typeof date === "number" && scan.hasZone() ? dateUnderZone(date, scan, rules.zone) : date;
}

/** The text of a cell that may be a date, without the spaces and signs around it; or why it cannot be one. */
export function dateText(cell: Cell): string | Unreadable {
  if (typeof cell === "string") return undoSpreadsheetText(trimSpaces(cell));
  if (cell instanceof JsonNumber)
    return expandJsonNumber(cell.source) ?? { reason: "the number is not a date" };
  if (cell instanceof UnusableCell) return cell;
  return refuseOther(cell, "a date");
}

/** Parses a trimmed text into `scan`; returns why it is not a date under any order. */
export function scanDate(text: string, scan: DateScan, field?: string): Unreadable | undefined {
  scan.begin(text);
  let reason = scanDay(scan);
  if (reason === undefined && scan.at < text.length) reason = scanTime(scan);
  if (reason === undefined) return undefined;
  const damage = findDamage(text);
  if (damage !== undefined) return { reason: damage };
  if (NO_DATE.test(text)) return { reason, hint: noValueHint(text) };
  return explainNumberAsDate(text, field) ?? refuseText(text, reason);
}

function scanDay(scan: DateScan): string | undefined {
  const { text } = scan;
  if (isLetter(text.charCodeAt(0))) scan.at = ARTICLE.exec(text)?.[0].length ?? 0;
  const start = scan.at;
  const code = text.charCodeAt(start);
  if (isLetter(code)) return scanNamedDate(scan);
  if (!(code >= 0x30 && code <= 0x39)) return "it is not written like a date";
  const reason = scanNumericDate(scan);
  if (reason !== NAMED_MONTH) return reason;
  scan.at = start;
  return scanNamedDate(scan);
}

function dateUnderOrders(scan: DateScan, rules: DateRules): PackedDate | Unreadable {
  const { format, field } = rules;
  if (scan.form === 0) return scan.dmy;
  const orders = rules.isPinned ? rules.orders : rules.orders & scan.form;
  if (isSingle(orders)) return scan.under(orders) || { reason: explainUnderFormat(scan.text, format) };
  let date: PackedDate = 0;
  for (const order of ORDERS) {
    const candidate = (orders & order) === 0 ? 0 : scan.under(order);
    if (candidate === 0 || candidate === date) continue;
    if (date !== 0) {
      return {
        reason: "the order of its day and month is not settled",
        hint: formatOption("DD/MM/YYYY", field),
      };
    }
    date = candidate;
  }
  return date || { reason: explainUnderFormat(scan.text, format) };
}

function dateUnderZone(date: PackedDate, scan: DateScan, rule: ZoneRule): PackedDate | Unreadable {
  if (rule.kind === "written") return date;
  const hint = "--time-zone Europe/Paris";
  if (rule.kind === "refuse") return { reason: "its date depends on the time zone", hint };
  const utcMs = instantOf(date, scan);
  return rule.dateInZone(utcMs) || { reason: "it is outside the years 1000 to 9999" };
}

function instantOf(date: PackedDate, scan: DateScan): number {
  const midnight = Date.UTC(Math.trunc(date / 10_000), (Math.trunc(date / 100) % 100) - 1, date % 100);
  return midnight + scan.timeMs - scan.offsetMinutes * 60_000;
}

const WEEKDAY = String.raw`(?:(?<weekday>[\p{L}\p{M}]+)(?:-feira)?[.,]{0,2}\s+)?`;
const MONTH = String.raw`(?<month>[\p{L}\p{M}]+)`;
const DAY = String.raw`(?<day>\d{1,2})(?:er|st|nd|rd|th|[\u00ba\u00aa\u00b0])?`;
const GAP = String.raw`[\s./,\-]{0,3}`;
const OF = String.raw`(?:(?:de|del|of)\s)?`;

let forms: readonly RegExp[] | undefined;

/** Made for the first date of the kind: sets of letters in any case take a while. */
function namedForms(): readonly RegExp[] {
  forms ??= [
    // 5 juillet 2016, mardi 1er mars 2016, 5 de julio de 2016, 23-Sep-11, 05JUL2016
    new RegExp(String.raw`^${WEEKDAY}${DAY}${GAP}${OF}${MONTH}${GAP}${OF}(?<year>\d{4}|\d{2})(?!\d)`, "iu"),
    // July 5, 2016, Tuesday, July 5th, 2016, Jul 5 16
    new RegExp(String.raw`^${WEEKDAY}${MONTH}${GAP}${DAY}[\s./,\-]{1,3}(?<year>\d{4}|\d{2})(?!\d)`, "iu"),
    // 2016-Jul-05, 2016 July 5th
    new RegExp(String.raw`^(?<year>\d{4})${GAP}${MONTH}${GAP}${DAY}(?!\d)`, "iu"),
  ];
  return forms;
}

/**
 * Reads a date with a month name, optionally after a day of the week, from the scan's position onwards. A two-digit
 * year comes last. Returns the reason if there is no such date.
 */
function scanNamedDate(scan: DateScan): string | undefined {
  let reason = "it is not written like a date";
  const text = scan.at === 0 ? scan.text : scan.text.slice(scan.at);
  for (const form of namedForms()) {
    const match = form.exec(text);
    if (match === null) continue;
    const { month: name = "", ...parts } = match.groups ?? {};
    const month = monthOf(name);
    // "July 5th, 2016" is not the 5th of "th": the next form may name a month.
    if (month === undefined) reason = "it names no month in a language that is read";
    else {
      scan.at += match[0].length;
      return takeNamed(scan, month, parts);
    }
  }
  return reason;
}

function takeNamed(
  scan: DateScan,
  month: number,
  parts: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { weekday, day: dayText = "", year: yearText = "" } = parts;
  const day = Number(dayText);
  scan.isShort = yearText.length === 2;
  const year = scan.isShort ? fullYear(Number(yearText), scan.pivotYear) : Number(yearText);
  const date = packDate(year, month, day);
  if (date === 0) return explainDay(year, month, day);
  if (weekday !== undefined) {
    const expected = weekdayOf(weekday);
    if (expected === undefined) return "the word in front of it is not a day of the week";
    if (expected !== (((dayNumber(date) + 4) % 7) + 7) % 7) return "it is not that day of the week";
  }
  scan.setCertain(date);
  return undefined;
}

/** The formats in which a date is one number. */
type SerialFormat = "DDMMYYYY" | "excel" | "epoch" | "epoch-ms";

/** True for the formats that read numbers. */
function isSerialFormat(format: DateFormat | undefined): format is SerialFormat {
  return format === "DDMMYYYY" || format === "excel" || format === "epoch" || format === "epoch-ms";
}

const NUMBER = /^(-?)(\d+)(?:[.,](\d+))?$/;
const COMPACT = /^\d{8}$/;

/** The serial of 1970-01-01 in the 1900 system, which counts one day too many. */
const EXCEL_1970 = 25_569;
const FALSE_LEAP_DAY = 60;

/** True for a text that the format reads as a number; eight digits are a date, because serials end with 2958465. */
function isSerial(text: string, format: SerialFormat): boolean {
  if (format === "DDMMYYYY") return isDayFirst(text);
  return NUMBER.test(text) && !(format === "excel" && COMPACT.test(text));
}

/**
 * Parses a number into `scan`; returns the reason if it is not a date. An epoch is a moment: it is read like a date and
 * time written in UTC.
 */
function scanSerial(
  text: string,
  format: SerialFormat,
  scan: DateScan,
  field: string | undefined,
): Unreadable | undefined {
  scan.begin(text);
  scan.at = text.length;
  if (format === "DDMMYYYY") {
    scan.setCertain(packDayFirst(text));
    return scan.dmy === 0 ? { reason: explainDayFirst(text) } : undefined;
  }
  if (format !== "excel") return scanEpoch(text, format, scan, field);
  const reason = scanExcelSerial(Math.floor(Number(text.replace(",", "."))), scan);
  return reason === undefined ? undefined : { reason };
}

/** The 1900 system: 1 is 1900-01-01, 61 is 1900-03-01, and 60 is 29 February 1900, which never existed. */
function scanExcelSerial(serial: number, scan: DateScan): string | undefined {
  if (serial === FALSE_LEAP_DAY) return "serial 60 is 29 February 1900, which never existed";
  if (serial < 1) return "serials begin with 1";
  const days = serial - EXCEL_1970 + (serial < FALSE_LEAP_DAY ? 1 : 0);
  scan.setCertain(packInstant(days * DAY_MS));
  return scan.dmy === 0 ? "no serial is that large" : undefined;
}

/** `05072016`; a spreadsheet takes the zero of the first nine days away. */
const DAY_FIRST = /^(\d?\d)(\d\d)(\d{4})$/;

/** True for a text of the format `DDMMYYYY`, be it a date or not. */
function isDayFirst(text: string): boolean {
  return DAY_FIRST.test(text);
}

/** The date of such a text; 0 if there is none. */
function packDayFirst(text: string): PackedDate {
  const [, day, month, year] = DAY_FIRST.exec(text)!;
  return packDate(Number(year), Number(month), Number(day));
}

/** Why such a text is not a date. */
function explainDayFirst(text: string): string {
  const [, day, month, year] = DAY_FIRST.exec(text)!;
  return explainDay(Number(year), Number(month), Number(day));
}

const SPACE = 0x20;
const DASH = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;

/** The result if a letter follows the first number: the month is a name. */
const NAMED_MONTH = "a month by name";

/**
 * Reads `DD/MM/YYYY`, `MM/DD/YYYY`, `YYYY-MM-DD`, `YY-MM-DD` with any of the four separators, and `YYYYMMDD`, from the
 * first digit to the end of the date; a final dot after a date with dots is part of it. Returns the reason if the text
 * has no such form.
 */
function scanNumericDate(scan: DateScan): string | undefined {
  const begin = scan.at;
  const first = passNumber(scan);
  const firstWidth = scan.at - begin;
  if (firstWidth === 8) return takeCompact(scan, first);
  const separator = passSeparator(scan);
  if (isLetter(scan.text.charCodeAt(scan.at))) return NAMED_MONTH;
  if (separator === 0) return explainLoneNumber(scan.text, firstWidth);

  let start = scan.at;
  const second = passNumber(scan);
  const secondWidth = scan.at - start;
  const nextSeparator = passSeparator(scan);
  start = scan.at;
  const third = passNumber(scan);
  const thirdWidth = scan.at - start;
  if (thirdWidth === 0 || secondWidth === 0) return "a date needs a day, a month and a year";
  if (separator !== nextSeparator) return "its parts are separated by different signs";
  if (secondWidth > 2) return "its second part is neither a day nor a month";
  if (separator === DOT && scan.text.charCodeAt(scan.at) === DOT) scan.at++;

  if (firstWidth === 4) {
    if (thirdWidth > 2) return "its last part is not a day";
    scan.setCertain(packDate(first, second, third));
    return scan.dmy === 0 ? explainDay(first, second, third) : undefined;
  }
  if (firstWidth > 2) return "its first part is neither a day nor a year";
  scan.isShort = thirdWidth < 4;
  scan.isDashed = separator === DASH;
  scan.hasBareMonth = secondWidth === 1;
  const { pivotYear } = scan;
  const year = thirdWidth === 2 ? fullYear(third, pivotYear) : third;
  if (thirdWidth === 4 || thirdWidth === 2) takeYearLast(scan, first, second, year);
  if (firstWidth === 2 && thirdWidth <= 2) {
    scan.ymd = packDate(fullYear(first, pivotYear), second, third);
    scan.form |= scan.isDashed ? YMD : DMY | MDY;
  }
  if (scan.form === 0) return "its year has neither two digits nor four";
  const isReal = scan.dmy !== 0 || scan.mdy !== 0 || scan.ymd !== 0;
  return isReal ? undefined : explainParts(first, second, year);
}

function takeYearLast(scan: DateScan, first: number, second: number, year: number): void {
  scan.form = DMY | MDY;
  scan.dmy = packDate(year, second, first);
  scan.mdy = packDate(year, first, second);
}

function takeCompact(scan: DateScan, digits: number): string | undefined {
  const year = Math.trunc(digits / 10_000);
  const month = Math.trunc(digits / 100) % 100;
  scan.setCertain(packDate(year, month, digits % 100));
  return scan.dmy === 0 ? explainDay(year, month, digits % 100) : undefined;
}

function explainLoneNumber(text: string, width: number): string {
  if (width < text.length) return "it is not written like a date";
  if (width === 4) return "a year alone is not a date";
  if (width === 6) return "six digits in a row are not a certain date";
  return "a number is not a date";
}

function passNumber(scan: DateScan): number {
  const text = scan.text;
  let at = scan.at;
  let value = 0;
  let code = text.charCodeAt(at);
  while (code >= 0x30 && code <= 0x39) {
    value = value * 10 + code - 0x30;
    code = text.charCodeAt(++at);
  }
  scan.at = at;
  return value;
}

/** Skips one separator with the spaces around it (`5. 7. 2016`), and returns its code; 0 if there is none. */
function passSeparator(scan: DateScan): number {
  const text = scan.text;
  let at = scan.at;
  let code = text.charCodeAt(at);
  let separator = 0;
  while (isSpace(code)) {
    separator = SPACE;
    code = text.charCodeAt(++at);
  }
  if (code === SLASH || code === DASH || code === DOT) {
    separator = code;
    do code = text.charCodeAt(++at);
    while (isSpace(code));
  }
  scan.at = at;
  return separator;
}

/** True for ASCII letters and, accurately enough for month names, for everything beyond ASCII that is not a space. */
function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code > 0xa0 && !isSpace(code));
}
