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
  DAY_MS,
  formatDate,
  fullYear,
  monthOf,
  openTimeZone,
  packDate,
  type PackedDate,
  packInstant,
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

/** The format with which an order can be pinned. */
export function orderFormat(order: number): DateFormat {
  if (order === DMY) return "DD/MM/YYYY";
  return order === MDY ? "MM/DD/YYYY" : "YY-MM-DD";
}

/** The order in which a format reads dates of three numbers; 0 if it reads none without the year in front. */
export function orderOf(format: DateFormat): number {
  if (format === "DDMMYYYY") return DMY;
  return ORDERS.find((order) => orderFormat(order) === format) ?? 0;
}

/** All rules for reading one column's dates, as plain data. */
export interface DateRules {
  /** The pinned format, otherwise that of an order that the column's values leave open. */
  readonly format: DateFormat;
  /** The first of the hundred years that two digits stand for. */
  readonly pivotYear: number;
  /** The place whose date a moment has; `undefined` if no value has a zone, or all are midnight and stay as written. */
  readonly timeZone: string | undefined;
  /** For hints. */
  readonly field: string;
}

/** One text, read as a date under each order. */
export class ScannedDate {
  readonly text: string;
  /** The orders that the way of writing leaves open; 0 if the order makes no difference. */
  readonly form: number;
  /** True if the year has two digits. */
  readonly isShort: boolean;
  /** The dates of the orders, 0 where the day does not exist. */
  readonly #dates: readonly PackedDate[];
  /** Milliseconds since midnight. */
  timeMs = 0;
  /** Minutes east of UTC; NaN if no zone is written. */
  offsetMinutes = Number.NaN;

  constructor(text: string, dates: PackedDate | readonly PackedDate[], form = 0, isShort = false) {
    this.text = text;
    this.#dates = typeof dates === "number" ? [dates, dates, dates] : dates;
    this.form = form;
    this.isShort = isShort;
  }

  /** The date under one order. */
  under(order: number): PackedDate {
    return this.#dates[order >> 1]!;
  }

  /** The open orders under which the day exists. */
  possibleOrders(): number {
    return ORDERS.reduce((set, order) => set | (this.under(order) === 0 ? 0 : order), 0) & this.form;
  }

  hasZone(): boolean {
    return !Number.isNaN(this.offsetMinutes);
  }

  /** True if it has a time other than 00:00. */
  isTimed(): boolean {
    return this.timeMs > 0;
  }
}

/** Makes the reader of a settled column: it returns `YYYY-MM-DD` or the reason. */
export function dateReader(rules: DateRules): ReadValue {
  const dateInZone = rules.timeZone === undefined ? undefined : openTimeZone(rules.timeZone);
  return (cell) => {
    const scan = scanDateCell(cell, rules);
    if (!(scan instanceof ScannedDate)) return scan;
    const date = dateUnder(scan, rules.format);
    if (typeof date !== "number") return date;
    if (dateInZone === undefined || !scan.hasZone()) return formatDate(date);
    const midnight = Date.UTC(Math.trunc(date / 10_000), (Math.trunc(date / 100) % 100) - 1, date % 100);
    const there = dateInZone(midnight + scan.timeMs - scan.offsetMinutes * 60_000);
    return there === 0 ? { reason: "it is outside the years 1000 to 9999" } : formatDate(there);
  };
}

/** The date that was read, as it is written. */
export function dateUnder(scan: ScannedDate, format: DateFormat): PackedDate | Unreadable {
  const order = scan.form === 0 ? DMY : orderOf(format);
  const date = order === 0 ? 0 : scan.under(order);
  return date || { reason: `it is not a date in the format ${format}` };
}

/** The pinned format, the first of the hundred years that two digits mean, the field for hints. */
interface DateContext {
  readonly format?: DateFormat | undefined;
  readonly pivotYear?: number | undefined;
  readonly field?: string;
}

/** Reads a cell that is not blank; returns why it is not a date under any order. */
export function scanDateCell(cell: Cell, context: DateContext): ScannedDate | Unreadable {
  const text =
    typeof cell === "string"
      ? undoSpreadsheetText(trimSpaces(cell))
      : cell instanceof JsonNumber
        ? expandJsonNumber(cell.source)
        : undefined;
  if (text !== undefined) return scanDate(text, context);
  if (cell instanceof JsonNumber) return { reason: "the number is not a date" };
  return cell instanceof UnusableCell ? cell : refuseOther(cell, "a date");
}

const NOT_LIKE_A_DATE = "it is not written like a date";
const NO_SUCH_DAY = "there is no such day";
/** The zero of MySQL and the first date of .NET. */
const NO_DATE = /^(?:0000[-/]00[-/]00|0001[-/]01[-/]01|00[-/.]00[-/.]0000|01[-/.]01[-/.]0001)(?!\d)/;
/** Spaces beside a sign are dropped; elsewhere several count as one. */
const GAPS = new RegExp(`${SPACE}+([-/.])${SPACE}*|([-/.])${SPACE}+|(?! (?!${SPACE}))${SPACE}+`, "g");

/** Reads a trimmed text; returns why it is not a date under any order. */
export function scanDate(text: string, context: DateContext = {}): ScannedDate | Unreadable {
  const { format, pivotYear = USUAL_PIVOT } = context;
  const scan =
    format !== undefined && SERIALS[format]?.test(text) === true
      ? scanSerial(text, format)
      : scanWritten(text, pivotYear);
  if (typeof scan !== "string") return scan;
  const damage = findDamage(text);
  if (damage !== undefined) return { reason: damage };
  if (NO_DATE.test(text)) return { reason: scan, hint: noValueHint(text) };
  const looks = LOOKS.find(([form, , other]) => other !== format && form.test(text));
  if (looks !== undefined) return { reason: looks[1], hint: `--type ${context.field}=date:${looks[2]}` };
  return scan === NO_DATE_OF_EPOCH ? { reason: scan, hint: noValueHint(text) } : refuseText(text, scan);
}

const NAME = String.raw`(?<name>[^\d ./,-]+)`;
const DAY = String.raw`(?<day>\d\d?)(?:er|st|nd|rd|th|[\u00ba\u00aa\u00b0])?`;
const GAP = String.raw`[ ./,-]{0,2}`;
const OF = String.raw`(?:(?:de|del|of) )?`;

/** The grammar of days, once spaces are even: what follows is a time. A date that is written with dots may end with one. */
const FORMS = [
  // 20160705
  String.raw`(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?!\d)`,
  // 2016-07-05
  String.raw`(?<year>\d{4})(?<sign>[-/. ])(?<month>\d\d?)\k<sign>(?<day>\d\d?)(?!\d)(?:(?<=\.\d\d?)\.)?`,
  // 05/07/2016, 7/5/2016, 05.07.16, 16-07-05
  String.raw`(?<first>\d\d?)(?<sign>[-/. ])(?<second>\d\d?)\k<sign>(?<third>\d{4}|\d\d)(?!\d)(?:(?<=\.\d{2,4})\.)?`,
  // 5 juillet 2016, 1er mars 2016, 5 de julio de 2016, 23-Sep-11, 05JUL2016
  String.raw`${DAY}${GAP}${OF}${NAME}${GAP}${OF}(?<year>\d{4}|\d\d)(?!\d)`,
  // July 5, 2016, July 5th, 2016, Jul 5 16
  String.raw`${NAME}${GAP}${DAY}[ ./,-]{1,2}(?<year>\d{4}|\d\d)(?!\d)`,
  // 2016-Jul-05, 2016 July 5th
  String.raw`(?<year>\d{4})${GAP}${NAME}${GAP}${DAY}(?!\d)`,
].map((form) => new RegExp(`^${form}`, "i"));

function scanWritten(text: string, pivotYear: number): ScannedDate | string {
  const even = text.replace(GAPS, (_, before?: string, after?: string) => before ?? after ?? " ");
  for (const form of FORMS) {
    const found = form.exec(even);
    if (found === null) continue;
    const scan =
      found.groups!["third"] === undefined
        ? scanCertain(text, found.groups!, pivotYear)
        : scanOpen(text, found.groups!, pivotYear);
    if (typeof scan === "string") return scan;
    const rest = even.slice(found[0].length);
    return (rest === "" ? undefined : takeTime(scan, rest)) ?? scan;
  }
  return NOT_LIKE_A_DATE;
}

type Parts = Readonly<Record<string, string | undefined>>;

/** A date that reads the same under every order; a two-digit year comes last. */
function scanCertain(text: string, parts: Parts, pivotYear: number): ScannedDate | string {
  const month = parts["name"] === undefined ? Number(parts["month"]) : monthOf(parts["name"]);
  if (month === undefined) return "it names no month in a language that is read";
  const isShort = parts["year"]!.length === 2;
  const year = isShort ? fullYear(Number(parts["year"]), pivotYear) : Number(parts["year"]);
  const date = packDate(year, month, Number(parts["day"]));
  return date === 0 ? NO_SUCH_DAY : new ScannedDate(text, date, 0, isShort);
}

/** A date of three numbers, in any order that its digits allow. */
function scanOpen(text: string, parts: Parts, pivotYear: number): ScannedDate | string {
  const [first, second, third] = [Number(parts["first"]), Number(parts["second"]), Number(parts["third"])];
  const isShort = parts["third"]!.length === 2;
  const mayBeginWithYear = isShort && parts["first"]!.length === 2;
  const year = isShort ? fullYear(third, pivotYear) : third;
  const dates = [
    packDate(year, second, first),
    packDate(year, first, second),
    mayBeginWithYear ? packDate(fullYear(first, pivotYear), second, third) : 0,
  ];
  const form = mayBeginWithYear ? ANY_ORDER : DMY | MDY;
  return dates.every((date) => date === 0) ? NO_SUCH_DAY : new ScannedDate(text, dates, form, isShort);
}

/** `T14:30:00.5`, and after a space `14:30`, `14h30`, `2:30 p.m.`; then nothing, `Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `+02` or `GMT+0200`. */
const TIME =
  /^(?:t|,? )(\d\d?)(?::(\d\d)(?::(\d\d)(?:[.,](\d+))?)?| ?h ?(\d\d)?)(?: ?([ap])(?:m|\.m\.?))?( ?(?:z|(?:utc|gmt)?(?:([+-])(\d\d):?(\d\d)?)?))$/i;

/** Reads the time and the zone after a date, to the end of the text. Returns the reason for other text. */
function takeTime(scan: ScannedDate, text: string): string | undefined {
  const parts = TIME.exec(text);
  if (parts === null) return "what follows the date is not a time";
  const [, hourText, minuteText, secondText = "0", fraction = "0", past = "0", half, zone = ""] = parts;
  const [, , , , , , , , sign, hoursText = "0", minutesText = "0"] = parts;
  const [hour, minute, second] = [Number(hourText), Number(minuteText ?? past), Number(secondText)];
  const [hours, minutes] = [Number(hoursText), Number(minutesText)];
  const isHour = half === undefined ? hour <= 23 : hour >= 1 && hour <= 12;
  // A leap second is written 23:59:60 (ISO 8601).
  if (!isHour || minute > 59 || second > 60 || hours > 14 || minutes > 59) return "its time does not exist";
  const ofDay = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  // Any fraction counts as a millisecond, so that only zeros are midnight.
  scan.timeMs = ((ofDay * 60 + minute) * 60 + second) * 1000 + (Number(fraction) > 0 ? 1 : 0);
  if (zone.trim() !== "") scan.offsetMinutes = (hours * 60 + minutes) * (sign === "-" ? -1 : 1);
  return undefined;
}

/** Dates that are one number, by the format that an option names. Eight digits are no serial of Excel. */
const SERIALS: Readonly<Partial<Record<DateFormat, RegExp>>> = {
  // A spreadsheet takes the zero of the first nine days away.
  DDMMYYYY: /^\d{7,8}$/,
  excel: /^-?(?!\d{8}$)\d+(?:[.,]\d+)?$/,
  epoch: /^-?\d+(?:[.,]\d+)?$/,
  "epoch-ms": /^-?\d+(?:[.,]\d+)?$/,
};

/** Numbers that look like dates of a spreadsheet or a clock in a format that the column does not have, and that format. */
const LOOKS: readonly (readonly [form: RegExp, reason: string, format: DateFormat])[] = [
  [/^\d{5}(?:[.,]\d+)?$/, "it looks like a spreadsheet date serial", "excel"],
  [/^\d{10}(?:\.\d+)?$/, "it looks like seconds since 1970", "epoch"],
  [/^\d{13}$/, "it looks like milliseconds since 1970", "epoch-ms"],
  // A number with the year first is a date without any option, so it never comes here.
  [
    /^(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])[1-9]\d{3}$/,
    "its day seems to come first, without separators",
    "DDMMYYYY",
  ],
];

/** The serial of 1970-01-01 in the 1900 system, which counts 29 February 1900, a day that never existed. */
const EXCEL_1970 = 25_569;
const FALSE_LEAP_DAY = 60;
/** Epochs outside these years have another unit. */
const FIRST_MS = Date.UTC(1900, 0, 1);
const LAST_MS = Date.UTC(2200, 0, 1);
const YEAR_MS = 365 * DAY_MS;
const NO_DATE_OF_EPOCH = "it means no date, or is in another unit";

function scanSerial(text: string, format: DateFormat): ScannedDate | string {
  const number = Number(text.replace(",", "."));
  if (format === "DDMMYYYY") {
    const date = packDate(number % 10_000, Math.trunc(number / 10_000) % 100, Math.trunc(number / 1_000_000));
    return date === 0 ? NO_SUCH_DAY : new ScannedDate(text, date);
  }
  if (format === "excel") {
    const serial = Math.floor(number);
    const days = serial - EXCEL_1970 + (serial < FALSE_LEAP_DAY ? 1 : 0);
    const date = serial < 1 || serial === FALSE_LEAP_DAY ? 0 : packInstant(days * DAY_MS);
    return date === 0 ? "no day has this serial" : new ScannedDate(text, date);
  }
  // A moment written in UTC. Programs write 0 and -1 for "no date", and numbers of another unit fall into 1970.
  const ms = format === "epoch" ? number * 1000 : number;
  if ((ms > -DAY_MS && ms < YEAR_MS) || ms < FIRST_MS || ms >= LAST_MS) return NO_DATE_OF_EPOCH;
  const scan = new ScannedDate(text, packInstant(ms));
  const sinceMidnight = ms - Math.floor(ms / DAY_MS) * DAY_MS;
  // Only zeros are midnight.
  scan.timeMs = Math.floor(sinceMidnight) || Math.ceil(sinceMidnight);
  scan.offsetMinutes = 0;
  return scan;
}
