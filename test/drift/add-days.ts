import { DAY_MS, dayNumber, packInstant, type PackedDate } from "../../src/fields/date/calendar.ts";

/** The day this many days later. */
export function addDays(day: PackedDate, days: number): PackedDate {
  return packInstant((dayNumber(day) + days) * DAY_MS);
}
