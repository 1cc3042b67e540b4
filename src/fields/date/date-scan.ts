import { type DateFormat, noValueHint, type Unreadable } from "../type-text.ts";
import {
  DAY_MS,
  explainDay,
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

/** Result of scanning one cell as a date. One object serves many cells: each scan overwrites the last. */
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
  /** Milliseconds since midnight; -1 if no time is written. */
  timeMs = -1;
  /** Minutes east of UTC; NaN if no zone is written. */
  offsetMinutes = Number.NaN;

  begin(text: string): void {
    this.text = text;
    this.at = 0;
    this.dmy = this.mdy = this.ymd = this.form = 0;
    this.isShort = false;
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

/**
 * Parses a number into `scan` if the format reads numbers; returns the reason if it is no date, and `false` for another text. An
 * epoch is a moment written in UTC.
 */
export function scanSerial(
  text: string,
  format: DateFormat | undefined,
  scan: DateScan,
  field: string | undefined,
): Unreadable | undefined | false {
  const parts = format === undefined ? undefined : SERIALS[format]?.exec(text);
  if (parts == null) return false;
  scan.begin(text);
  scan.at = text.length;
  const number = Number(text.replace(",", "."));
  if (format === "epoch" || format === "epoch-ms")
    return scanEpoch(text, number * (format === "epoch" ? 1000 : 1), scan, field);
  if (format === "excel") {
    const serial = Math.floor(number);
    const days = serial - EXCEL_1970 + (serial < FALSE_LEAP_DAY ? 1 : 0);
    scan.setCertain(serial < 1 || serial === FALSE_LEAP_DAY ? 0 : packInstant(days * DAY_MS));
    return scan.dmy === 0 ? { reason: "no day has this serial" } : undefined;
  }
  const [day, month, year] = parts.slice(1).map(Number) as [number, number, number];
  scan.setCertain(packDate(year, month, day));
  return scan.dmy === 0 ? { reason: explainDay(year, month, day) } : undefined;
}

/** 1970 and the day before it are no dates: programs write 0 and -1 for none, and numbers of another unit fall there. */
function scanEpoch(
  text: string,
  ms: number,
  scan: DateScan,
  field: string | undefined,
): Unreadable | undefined {
  const isNear = ms > -DAY_MS && ms < YEAR_MS;
  if (isNear || ms < FIRST_MS || ms >= LAST_MS) {
    const other = explainNumberAsDate(text, field);
    const isOther = other !== undefined && (isNear || other.hint?.endsWith("-ms") === true);
    const date = packInstant(ms);
    const told = date === 0 ? "no date" : spellDate(date);
    return isOther
      ? other
      : {
          reason: `it would be ${told}: it means none, or is in another unit`,
          hint: noValueHint(text),
        };
  }
  const day = Math.floor(ms / DAY_MS);
  scan.setCertain(packInstant(day * DAY_MS));
  const sinceMidnight = ms - day * DAY_MS;
  // Only zeros are midnight.
  scan.timeMs = Math.floor(sinceMidnight) || Math.ceil(sinceMidnight);
  scan.offsetMinutes = 0;
  return undefined;
}

/** The option to paste for numbers that look like the internal date of a spreadsheet or a clock. */
export function explainNumberAsDate(text: string, field: string | undefined): Unreadable | undefined {
  const as = (reason: string, format: string): Unreadable => ({ reason, hint: formatOption(format, field) });
  if (/^\d{5}(?:[.,]\d+)?$/.test(text)) return as("it looks like a spreadsheet date serial", "excel");
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return as("it looks like seconds since 1970", "epoch");
  if (/^\d{13}$/.test(text)) return as("it looks like milliseconds since 1970", "epoch-ms");
  // A number with the year first is a date without any option, so none comes here.
  const [, day, month, year] = /^(\d\d)(\d\d)(\d{4})$/.exec(text) ?? [];
  return packDate(Number(year), Number(month), Number(day)) > 0
    ? as("its day seems to come first, without separators", "DDMMYYYY")
    : undefined;
}
