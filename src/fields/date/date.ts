import { JsonNumber, UnusableCell, type Cell } from "../../model/row.ts";
import { formatDate, type PackedDate } from "./calendar.ts";
import { findDamage } from "../damage.ts";
import { isSingle, ORDERS } from "./date-order.ts";
import { explainNumberAsDate, explainUnderFormat, formatOption } from "./date-reasons.ts";
import { DateScan } from "./date-scan.ts";
import { isSerial, isSerialFormat, scanSerial } from "./date-serial.ts";
import { scanTime } from "./date-time.ts";
import { expandJsonNumber } from "../../model/json-number.ts";
import { ownText } from "../own-text.ts";
import { noValueHint, refuseOther, refuseText } from "../no-value.ts";
import { scanNamedDate } from "./named-date.ts";
import { isLetter, NAMED_MONTH, scanNumericDate } from "./numeric-date.ts";
import { trimSpaces } from "../spaces.ts";
import { undoSpreadsheetText } from "../spreadsheet-text.ts";
import type { DateInZone } from "./time-zone.ts";
import type { DateFormat, ReadValue, Unreadable } from "../value.ts";

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
