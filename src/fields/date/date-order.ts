import type { DateFormat } from "../value.ts";

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
