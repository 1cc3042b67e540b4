import { DAY_MS, formatDate, type PackedDate, packInstant } from "../../src/fields/date/calendar.ts";

/** The day this many days later. */
export function addDays(day: PackedDate, days: number): PackedDate {
  return packInstant(Date.parse(formatDate(day)) + days * DAY_MS);
}
