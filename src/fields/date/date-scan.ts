import type { PackedDate } from "./calendar.ts";
import { DMY, MDY, YMD } from "./date-order.ts";
import { USUAL_PIVOT } from "./two-digit-year.ts";

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
