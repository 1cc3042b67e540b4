import { RecPushError } from "../../model/failure.ts";

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
  // A call of Intl costs microseconds. If a day begins and ends with the same offset, all its instants have it.
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

/**
 * Dates as whole numbers, `20160705`: they can be compared, need no object and print fast. 0 is no date. The calendar
 * is the proleptic Gregorian one of ISO 8601, from 1000 to 9999.
 */
export type PackedDate = number;

export const DAY_MS = 86_400_000;

const DASHED = Array.from({ length: 32 }, (_, number) => `-${String(number).padStart(2, "0")}`);

/** Counts the days of a month from 1 to 12. */
function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Returns 0 if there is no such day, or if the year is outside 1000 to 9999. */
export function packDate(year: number, month: number, day: number): PackedDate {
  if (year < 1000 || year > 9999 || month < 1 || month > 12 || day < 1) return 0;
  if (day > 28 && day > daysInMonth(year, month)) return 0;
  return year * 10_000 + month * 100 + day;
}

/** The date at a moment by this machine's clock and time zone. */
export function packDay(moment: Date): PackedDate {
  return moment.getFullYear() * 10_000 + (moment.getMonth() + 1) * 100 + moment.getDate();
}

/** Writes `YYYY-MM-DD`. */
export function formatDate(date: PackedDate): string {
  const year = Math.trunc(date / 10_000);
  return year + DASHED[Math.trunc(date / 100) % 100]! + DASHED[date % 100]!;
}

/** Writes `5 July 2016`, for messages. */
export function spellDate(date: PackedDate): string {
  const month = Math.trunc(date / 100) % 100;
  return `${date % 100} ${monthName(month)} ${Math.trunc(date / 10_000)}`;
}

/** The English name of a month from 1 to 12. */
function monthName(month: number): string {
  return new Date(Date.UTC(2000, month - 1)).toLocaleDateString("en", { month: "long", timeZone: "UTC" });
}

/** The UTC date of an instant in milliseconds since 1970; 0 outside the years 1000 to 9999. */
export function packInstant(utcMs: number): PackedDate {
  const instant = new Date(utcMs);
  // Outside the range of Date everything is NaN.
  return packDate(instant.getUTCFullYear(), instant.getUTCMonth() + 1, instant.getUTCDate()) || 0;
}

/** Why a year, a month and a day do not make a date, given that they do not. */
export function explainDay(year: number, month: number, day: number): string {
  if (year < 1000) return `the year ${String(year).padStart(4, "0")} is not taken`;
  if (month < 1 || month > 12) return `${month} is not a month`;
  if (day < 1 || day > 31) return `${day} is not a day`;
  const ofYear = month === 2 && day === 29 ? ` ${year}` : "";
  return `${day} ${monthName(month)}${ofYear} is not a date`;
}

/**
 * The first of the hundred years that two digits stand for if no option sets it: 70 to 99 are 1970 to 1999, 00 to 69
 * are 2000 to 2069 (POSIX strptime has 69).
 */
export const USUAL_PIVOT = 1970;

/** The year that two digits stand for, among the hundred years that begin with `pivotYear`. */
export function fullYear(twoDigits: number, pivotYear: number): number {
  const year = pivotYear - (pivotYear % 100) + twoDigits;
  return year < pivotYear ? year + 100 : year;
}

/** Reads `45` (or `1945`) as a pivot year; `2000` is the last one. `undefined` for anything else. */
export function parsePivot(text: string): number | undefined {
  if (/^\d{1,2}$/.test(text)) return 1900 + Number(text);
  return /^(?:19\d\d|2000)$/.test(text) ? Number(text) : undefined;
}

/** Writes a pivot year so that {@link parsePivot} reads it, with two digits if these are enough. */
export function spellPivot(pivotYear: number): string {
  return pivotYear < 2000 ? String(pivotYear).slice(2) : String(pivotYear);
}

/**
 * Names and abbreviations of the months, January first: CLDR 48, locales fr, fr-CA, en, en-GB, de, de-AT, es, es-MX,
 * it, nl, pt, pt-PT; without accents and dots. German spreadsheets write `mrz`. No name stands for two months.
 */
export const MONTH_NAMES = [
  "ene enero gen gennaio jan janeiro janner januar januari january janv janvier",
  "feb febbraio febrero februar februari february fev fevereiro fevr fevrier",
  "maart mar march marco mars marz marzo mrt mrz",
  "abr abril apr april aprile avr avril",
  "mag maggio mai maio may mayo mei",
  "giu giugno juin jun june junho juni junio",
  "juil juill juillet jul julho juli julio july lug luglio",
  "ago agosto aout aug august augustus",
  "sep sept september septembre septiembre set setembro settembre",
  "oct october octobre octubre okt oktober ott ottobre out outubro",
  "nov november novembre novembro noviembre",
  "dec december decembre dez dezember dezembro dic dicembre diciembre",
] as const;

/**
 * Far longer than any name with its accents decomposed: the time for sorting accents grows with the square of their
 * number.
 */
const LONGEST_NAME = 60;

const MONTHS = new Map(
  MONTH_NAMES.flatMap((names, at) => names.split(" ").map((name) => [name, at + 1] as const)),
);

/** The month from 1 to 12 that a name or abbreviation means in fr, en, de, es, it, nl or pt, in any case, with or without accents. */
export function monthOf(name: string): number | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const lower = name.toLowerCase();
  const month = MONTHS.get(lower);
  // Most words have no accent, and undoing accents takes much longer.
  if (month !== undefined || !/[^ -~]/.test(lower)) return month;
  return MONTHS.get(lower.normalize("NFD").replace(/\p{M}/gu, ""));
}
