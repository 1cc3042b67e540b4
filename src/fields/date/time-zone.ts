import { RecPushError } from "../../model/failure.ts";
import { DAY_MS, packDate, packInstant, type PackedDate } from "./calendar.ts";

const DAYS_KEPT = 20_000;

/**
 * Returns the date that an instant, in milliseconds since 1970 UTC, has in a place; 0 outside the years 1000 to 9999.
 */
export type DateInZone = (utcMs: number) => PackedDate;

/**
 * Opens an IANA time zone (`Europe/Paris`) with the rules of this Node's ICU. Throws a usage error for a name that is
 * unknown.
 */
export function openTimeZone(name: string): DateInZone {
  const wallClock = openWallClock(name);
  // A call of Intl costs microseconds. If a day begins and ends with the same offset, that is the offset of all its
  // instants.
  const offsets = new Map<number, number>();
  return (utcMs) => {
    if (packInstant(utcMs - DAY_MS) === 0 && packInstant(utcMs + DAY_MS) === 0) return 0;
    const day = Math.floor(utcMs / DAY_MS);
    let offset = offsets.get(day);
    if (offset === undefined) {
      offset = offsetAt(wallClock, day * DAY_MS);
      if (offset !== offsetAt(wallClock, (day + 1) * DAY_MS)) offset = Number.NaN;
      if (offsets.size >= DAYS_KEPT) offsets.clear();
      offsets.set(day, offset);
    }
    return packInstant(utcMs + (Number.isNaN(offset) ? offsetAt(wallClock, utcMs) : offset));
  };
}

function openWallClock(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch (cause) {
    throw new RecPushError("usage", "unknown-time-zone", `--time-zone: "${name}" is not a time zone`, {
      hint: "time zones are named like Europe/Paris or UTC",
      cause,
    });
  }
}

/** Offset of the wall clock ahead of UTC, in milliseconds; fractions of a second are ignored. */
function offsetAt(wallClock: Intl.DateTimeFormat, utcMs: number): number {
  const parts: Record<string, number> = {};
  const whole = Math.floor(utcMs / 1000) * 1000;
  for (const { type, value } of wallClock.formatToParts(whole)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  if (packDate(year, month, day) === 0) return 0;
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
}
