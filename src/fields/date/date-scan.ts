import { type DateFormat } from "../type-text.ts";
import type { PackedDate } from "./time-zone.ts";
import { USUAL_PIVOT } from "./two-digit-year.ts";

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
