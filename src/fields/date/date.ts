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
import { DateScan, DMY, formatOption, isSingle, MDY, ORDERS, YMD } from "./date-scan.ts";
import { monthOf } from "./month-names.ts";
import { explainNumberAsDate, isSerial, isSerialFormat, scanSerial } from "./serial-dates.ts";
import {
  type DateInZone,
  explainDay,
  formatDate,
  openTimeZone,
  packDate,
  type PackedDate,
} from "./time-zone.ts";
import { fullYear } from "./two-digit-year.ts";

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
const ZONE_NAME = /^[A-Za-z]{2,5}$|^[A-Z][A-Za-z_]+\/[A-Za-z_/]+$/;
const LEADING_SPACE = new RegExp(`^${SPACE}+`);

const NOT_A_TIME = "what follows the date is not a time";
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
    if (hour < 1 || hour > 12) return "its hour does not fit AM or PM";
    hour = (hour % 12) + (half === "p" ? 12 : 0);
  }
  // A leap second is written 23:59:60 (ISO 8601).
  if (hour > 23 || Number(minute) > 59 || Number(second) > 60) return "its time does not exist";
  // Rounded up, so that only zeros are midnight.
  const milliseconds = Math.min(Math.ceil(Number(`0.${fraction.slice(1) || "0"}`) * 1000), 999);
  scan.timeMs = ((hour * 60 + Number(minute)) * 60 + Number(second)) * 1000 + milliseconds;
  return undefined;
}

function takeZone(scan: DateScan, text: string): string | undefined {
  const zone = ZONE.exec(text);
  if (zone === null) {
    if (/^(?:UTC|GMT)?[+-]/.test(text)) return "its time zone does not exist";
    return ZONE_NAME.test(text) ? "its time zone is not written as a number" : NOT_A_TIME;
  }
  const [, sign, hours = "0", minutes = "0"] = zone;
  if (Number(hours) > 14 || Number(minutes) > 59) return "its time zone does not exist";
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
  const unreadable =
    isSerialFormat(format) && isSerial(text, format)
      ? scanSerial(text, format, scan, field)
      : scanDate(text, scan, field);
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
const ENDS_WITH_GAP = new RegExp(String.raw`\d+(?:[/.\-]|${SPACE})`, "y");

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
  if (secondText === "" && execAt(ENDS_WITH_GAP, scan) === null)
    return explainLoneNumber(scan.text, firstText.length);
  if (thirdText === "") return "a date needs a day, a month and a year";
  if (sign !== nextSign) return "its parts are separated by different signs";
  if (secondText.length > 2) return "its second part is neither a day nor a month";
  scan.at += whole.length;
  if (sign === "." && scan.text[scan.at] === ".") scan.at++;
  const [first, second, third] = [Number(firstText), Number(secondText), Number(thirdText)];
  if (firstText.length === 4) {
    if (thirdText.length > 2) return "its last part is not a day";
    scan.setCertain(packDate(first, second, third));
    return scan.dmy === 0 ? explainDay(first, second, third) : undefined;
  }
  if (firstText.length > 2) return "its first part is neither a day nor a year";
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
  if (scan.form === 0) return "its year has neither two digits nor four";
  const isReal = scan.dmy !== 0 || scan.mdy !== 0 || scan.ymd !== 0;
  return isReal ? undefined : explainParts(first, second, year);
}

function explainLoneNumber(text: string, width: number): string {
  if (width < text.length) return NOT_LIKE_A_DATE;
  if (width === 4) return "a year alone is not a date";
  if (width === 6) return "six digits in a row are not a certain date";
  return "a number is not a date";
}

/** Why two numbers and a year do not make a date with either of them as the month, given that they do not. */
function explainParts(first: number, second: number, year: number): string {
  if (year < 1000 || (first <= 12 && second <= 12)) return explainDay(year, second, first);
  if (first > 12 && second > 12) return `neither ${first} nor ${second} is a month`;
  return first > 12 ? explainDay(year, second, first) : explainDay(year, first, second);
}

/** Why a date of three numbers that another format could read is none in the column's format. */
function explainUnderFormat(text: string, format: DateFormat | undefined): string {
  if (format === undefined) return "it is not in the format of its column";
  if (format === "DD/MM/YYYY" || format === "MM/DD/YYYY") {
    const month = Number(text.match(/\d+/g)?.[format === "MM/DD/YYYY" ? 0 : 1]);
    if (month > 12) return `${month} is not a month in the format ${format}`;
  }
  return `it is not a date in the format ${format}`;
}
