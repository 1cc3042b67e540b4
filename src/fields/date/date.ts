import { expandJsonNumber } from "../../model/json-number.ts";
import { type Cell, JsonNumber, UnusableCell } from "../../model/rows.ts";
import { findDamage } from "../key.ts";
import { trimSpaces, undoSpreadsheetText } from "../spreadsheet-text.ts";
import {
  type DateFormat,
  noValueHint,
  type ReadValue,
  refuseOther,
  refuseText,
  type Unreadable,
} from "../type-text.ts";
import {
  DateScan,
  DMY,
  explainNumberAsDate,
  formatOption,
  isSingle,
  MDY,
  ORDERS,
  scanSerial,
  YMD,
} from "./date-scan.ts";
import { monthOf } from "./month-names.ts";
import {
  type DateInZone,
  explainDay,
  formatDate,
  fullYear,
  openTimeZone,
  packDate,
  type PackedDate,
} from "./calendar.ts";

/** Every character that is only spacing, as a class of a regular expression: see `isSpace`. */
const SPACE = String.raw`[\s\u200b\u200e\u200f\u2060]`;

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
function scanTime(scan: DateScan): string | undefined {
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

function takeClock(scan: DateScan, clock: RegExpExecArray, half: string | undefined): string | undefined {
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

function takeZone(scan: DateScan, text: string): string | undefined {
  const zone = ZONE.exec(text);
  const [, sign, hours = "0", minutes = "0"] = zone ?? [];
  if (zone === null || Number(hours) > 14 || Number(minutes) > 59)
    return "what follows its time is no zone such as +02:00";
  scan.offsetMinutes = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  return undefined;
}

/** Everything that reading one column's dates depends on, as plain data. */
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

/** The zero of MySQL and the first date of .NET. */
const NO_DATE = /^(?:0000[-/]00[-/]00|0001[-/]01[-/]01|00[-/.]00[-/.]0000|01[-/.]01[-/.]0001)(?!\d)/;

/** Makes the reader of a settled column: it returns `YYYY-MM-DD` or the reason. Throws for an unknown time zone. */
export function dateReader(rules: DateRules): ReadValue {
  const scan = new DateScan();
  scan.pivotYear = rules.pivotYear;
  const dateInZone = rules.timeZone === undefined ? undefined : openTimeZone(rules.timeZone);
  return (cell) => {
    const date = readDate(cell, rules, scan, dateInZone);
    return typeof date === "number" ? formatDate(date) : date;
  };
}

/** Reads one cell under the rules of its column; the scan has their pivot year. */
export function readDate(
  cell: Cell,
  rules: DateRules,
  scan: DateScan,
  dateInZone?: DateInZone,
): PackedDate | Unreadable {
  const { format, field, zone } = rules;
  const text = dateText(cell);
  if (typeof text !== "string") return text;
  const found = scanSerial(text, format, scan, field);
  const unreadable = found === false ? scanDate(text, scan, field) : found;
  if (unreadable !== undefined) return unreadable;
  const date = dateUnderOrders(scan, rules);
  if (typeof date !== "number" || !scan.hasZone() || zone === "written") return date;
  if (zone === "refuse" || dateInZone === undefined)
    return { reason: "its date depends on the time zone", hint: "--time-zone Europe/Paris" };
  return dateInZone(instantOf(date, scan)) || { reason: "it is outside the years 1000 to 9999" };
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

/** Letters, accurately enough for names of months: everything beyond ASCII that is not a space. */
const LETTER = String.raw`(?!${SPACE})[A-Za-z\u00a1-\uffff]`;
const GAP = String.raw`(?:${SPACE}*([/.\-])${SPACE}*|${SPACE}+)`;
const BEGINS_NAMED = new RegExp(`\\d*(?:${GAP})?${LETTER}`, "y");
/** Up to three numbers, with the signs between them; a sign that is lacking is a space. */
const NUMBERS = new RegExp(String.raw`(\d+)(?:${GAP}(\d+)(?:${GAP}(\d+))?)?`, "y");

function scanDay(scan: DateScan): string | undefined {
  const numbers = execAt(NUMBERS, scan);
  if (numbers?.[1]!.length === 8) return takeCompact(scan, numbers[1]);
  if (execAt(BEGINS_NAMED, scan) !== null) return scanNamedDate(scan);
  return numbers === null ? NOT_LIKE_A_DATE : takeNumbers(scan, numbers);
}

function execAt(form: RegExp, { text, at }: DateScan): RegExpExecArray | null {
  form.lastIndex = at;
  return form.exec(text);
}

function dateUnderOrders(scan: DateScan, rules: DateRules): PackedDate | Unreadable {
  const { format, field } = rules;
  if (scan.form === 0) return scan.dmy;
  const orders = rules.isPinned ? rules.orders : rules.orders & scan.form;
  if (isSingle(orders)) return scan.under(orders) || { reason: explainUnderFormat(format) };
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
  return date || { reason: explainUnderFormat(format) };
}

function instantOf(date: PackedDate, scan: DateScan): number {
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
function scanNamedDate(scan: DateScan): string | undefined {
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
    scan.setCertain(packDate(year, month, day));
    return scan.dmy === 0 ? explainDay(year, month, day) : undefined;
  }
  return NOT_LIKE_A_DATE;
}

/** `20160705`; a time may follow. */
function takeCompact(scan: DateScan, digits: string): string | undefined {
  const [year, month, day] = [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6)].map(Number) as [
    number,
    number,
    number,
  ];
  scan.at += digits.length;
  scan.setCertain(packDate(year, month, day));
  return scan.dmy === 0 ? explainDay(year, month, day) : undefined;
}

/**
 * `DD/MM/YYYY`, `MM/DD/YYYY`, `YYYY-MM-DD`, and with a year of two digits any order, with any of the four separators; a
 * final dot after a date with dots is part of it. Returns the reason if the numbers have no such form.
 */
function takeNumbers(scan: DateScan, numbers: RegExpExecArray): string | undefined {
  const [whole, firstText = "", sign, secondText = "", nextSign, thirdText = ""] = numbers;
  if (secondText === "" && whole.length === scan.text.length) return "a number alone is not a date";
  if (thirdText === "" || sign !== nextSign || secondText.length > 2) return NOT_LIKE_A_DATE;
  scan.at += whole.length;
  if (sign === "." && scan.text[scan.at] === ".") scan.at++;
  const [first, second, third] = [Number(firstText), Number(secondText), Number(thirdText)];
  if (firstText.length === 4) {
    if (thirdText.length > 2) return NOT_LIKE_A_DATE;
    scan.setCertain(packDate(first, second, third));
    return scan.dmy === 0 ? explainDay(first, second, third) : undefined;
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

/** Why a date of three numbers that another format could read is none in the column's format. */
function explainUnderFormat(format: DateFormat | undefined): string {
  return `it is not a date in the format ${format ?? "of its column"}`;
}
