/**
 * Returns the date that an instant, in milliseconds since 1970 UTC, has in a place; 0 outside the years 1000 to 9999.
 */
type DateInZone = (utcMs: number) => PackedDate;

/** Opens an IANA time zone (`Europe/Paris`) with the rules of this Node's ICU. */
export function openTimeZone(timeZone: string): DateInZone {
  // Swedes write `2016-07-05`.
  const calendar = new Intl.DateTimeFormat("sv", { timeZone });
  const dateAt = (utcMs: number): PackedDate => {
    const date = Number(calendar.format(utcMs).replaceAll("-", ""));
    return date >= 1000_01_01 && date <= 9999_12_31 ? date : 0;
  };
  // A call of Intl costs microseconds. If an hour begins and ends on one date, all its moments have it; the others have 0 here.
  const hours = new Map<number, PackedDate>();
  return (utcMs) => {
    // Farther away, there is no such year in any zone.
    if (packInstant(utcMs - DAY_MS) === 0 && packInstant(utcMs + DAY_MS) === 0) return 0;
    const hour = Math.floor(utcMs / HOUR_MS);
    if (!hours.has(hour)) {
      const date = dateAt(hour * HOUR_MS);
      if (hours.size >= HOURS_KEPT) hours.clear();
      hours.set(hour, date === dateAt((hour + 1) * HOUR_MS - 1) ? date : 0);
    }
    return hours.get(hour) || dateAt(utcMs);
  };
}

/**
 * Dates as whole numbers, `20160705`: they can be compared, need no object and print fast. 0 is no date. The calendar
 * is the proleptic Gregorian one of ISO 8601, from 1000 to 9999.
 */
export type PackedDate = number;

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const HOURS_KEPT = 20_000;

/** Returns 0 if there is no such day, or if the year is outside 1000 to 9999. */
export function packDate(year: number, month: number, day: number): PackedDate {
  if (year < 1000 || year > 9999 || month < 1 || month > 12 || day < 1) return 0;
  // The day before the first of the next month is the last of this one.
  if (day > 28 && day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return 0;
  return year * 10_000 + month * 100 + day;
}

/** The date at a moment by this machine's clock and time zone. */
export function packDay(moment: Date): PackedDate {
  return moment.getFullYear() * 10_000 + (moment.getMonth() + 1) * 100 + moment.getDate();
}

/** Writes `YYYY-MM-DD`. */
export function formatDate(date: PackedDate): string {
  const digits = String(date);
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
}

/** Writes `5 July 2016`, for messages. */
export function spellDate(date: PackedDate): string {
  return new Date(formatDate(date)).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
}

/** The UTC date of an instant in milliseconds since 1970; 0 outside the years 1000 to 9999. */
export function packInstant(utcMs: number): PackedDate {
  const instant = new Date(utcMs);
  // Outside the range of Date everything is NaN.
  return packDate(instant.getUTCFullYear(), instant.getUTCMonth() + 1, instant.getUTCDate()) || 0;
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
