import { JsonNumber, NestedValue, type Cell } from "../../model/row.ts";
import { formatDate, type PackedDate } from "./calendar.ts";
import { findDamage, refuseText } from "../damage.ts";
import { isSingle, ORDERS } from "./date-order.ts";
import { explainNumberAsDate, explainUnderFormat, formatOption } from "./date-reasons.ts";
import { DateScan } from "./date-scan.ts";
import { isSerialFormat, readSerial } from "./date-serial.ts";
import { scanTime } from "./date-time.ts";
import { expandJsonNumber } from "../json-number.ts";
import { scanNamedDate } from "./named-date.ts";
import { isLetter, NAMED_MONTH, scanNumericDate } from "./numeric-date.ts";
import { trimSpaces } from "../spaces.ts";
import type { DateInZone } from "./time-zone.ts";
import type { DateFormat, ReadValue, Unreadable } from "../value.ts";

/** What becomes of a date-time that carries a zone. */
type ZoneRule =
  /** It has no certain date. */
  | { readonly kind: "refuse" }
  /** Every value of the column shows midnight: the date stands as written. */
  | { readonly kind: "written" }
  /** Its date is that of the place; `isSurveyed` is false where the column's other values are not known. */
  | { readonly kind: "convert"; readonly dateInZone: DateInZone; readonly isSurveyed: boolean };

/** All that the reading of one column's dates depends on. */
export interface DateRules {
  /** The orders that are left; with several, only a date on which they agree is read. */
  readonly orders: number;
  /** The pinned format, else that of the one order that is left. */
  readonly format: DateFormat | undefined;
  /** The zone for epochs; UTC without. */
  readonly serialZone: DateInZone | undefined;
  readonly zone: ZoneRule;
  /** For hints. */
  readonly field: string | undefined;
}

/** The days of ten years. */
const MOST_KNOWN = 4096;

const COMPACT = /^\d{8}$/;

/** Makes the reader of a settled column: `YYYY-MM-DD` or the reason. */
export function dateReader(rules: DateRules): ReadValue {
  const scan = new DateScan();
  /** Dates repeat: to look one up costs a third of reading it. */
  const known = new Map<string, string>();
  return (cell) => {
    const before = typeof cell === "string" ? known.get(cell) : undefined;
    if (before !== undefined) return before;
    const date = readDate(cell, rules, scan);
    if (typeof date !== "number") return date;
    const text = formatDate(date);
    if (typeof cell === "string" && known.size < MOST_KNOWN) known.set(cell, text);
    return text;
  };
}

/** Reads one cell under the rules of its column. */
export function readDate(cell: Cell, rules: DateRules, scan: DateScan): PackedDate | Unreadable {
  const text = dateText(cell);
  if (typeof text !== "string") return text;
  if (isSerialFormat(rules.format)) {
    // Eight digits are no serial of a spreadsheet, which end with 2958465, but a date.
    const isCompact = rules.format === "excel" && COMPACT.test(text);
    const date = isCompact ? undefined : readSerial(text, rules.format, rules.serialZone);
    if (date !== undefined) return typeof date === "string" ? { reason: date } : date;
  }
  const unreadable = scanDate(text, scan, rules.field);
  if (unreadable !== undefined) return unreadable;
  const date = dateUnderOrders(scan, rules);
  return typeof date === "number" && scan.hasZone() ? dateUnderZone(date, scan, rules.zone) : date;
}

/** The trimmed text of a cell that may be a date, or why it cannot be one. */
export function dateText(cell: Cell): string | Unreadable {
  if (typeof cell === "string") return trimSpaces(cell);
  if (cell instanceof JsonNumber)
    return expandJsonNumber(cell.source) ?? { reason: "the number is not a date" };
  if (cell instanceof NestedValue) return { reason: `the ${cell.what} has no value of its own` };
  return { reason: `${String(cell)} is not a date` };
}

/** Takes a trimmed text apart into `scan`; says why it is no date under any order. */
export function scanDate(text: string, scan: DateScan, field?: string): Unreadable | undefined {
  scan.begin(text);
  const code = text.charCodeAt(0);
  let reason: string | undefined;
  if (code >= 0x30 && code <= 0x39) {
    reason = scanNumericDate(scan);
    if (reason === NAMED_MONTH) reason = scanNamedDate(scan);
  } else reason = isLetter(code) ? scanNamedDate(scan) : "it is not written like a date";
  if (reason === undefined && scan.at < text.length) reason = scanTime(scan);
  if (reason === undefined) return undefined;
  const damage = findDamage(text);
  return damage === undefined
    ? (explainNumberAsDate(text, field) ?? refuseText(text, reason))
    : { reason: damage };
}

function dateUnderOrders(scan: DateScan, { orders, format, field }: DateRules): PackedDate | Unreadable {
  if (scan.form === 0) return scan.dmy;
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
  const there = rule.dateInZone(utcMs) || { reason: "it is outside the years 1000 to 9999" };
  if (rule.isSurveyed || scan.isTimed() || there === date) return there;
  // A column of nothing but midnights keeps its dates as written, and without a survey nobody knows whether this is one.
  return { reason: "it may be a date or a moment, which only a survey of the whole column tells" };
}

function instantOf(date: PackedDate, scan: DateScan): number {
  const midnight = Date.UTC(Math.trunc(date / 10_000), (Math.trunc(date / 100) % 100) - 1, date % 100);
  return midnight + scan.timeMs - scan.offsetMinutes * 60_000;
}
