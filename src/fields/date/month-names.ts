import { MONTH_NAMES, WEEKDAY_NAMES } from "./month-table.ts";

/**
 * Far longer than any name with its accents decomposed: the time for sorting accents grows with the square of their
 * number.
 */
const LONGEST_NAME = 60;

const MONTHS = numberNames(MONTH_NAMES, 1);
const WEEKDAYS = numberNames(WEEKDAY_NAMES, 0);

/** The month from 1 to 12 that a name or abbreviation means in fr, en, de, es, it, nl or pt, in any case, with or without accents. */
export function monthOf(name: string): number | undefined {
  return lookUp(MONTHS, name);
}

/** The day of the week, Sunday 0, that a name or abbreviation means in the same languages. */
export function weekdayOf(name: string): number | undefined {
  return lookUp(WEEKDAYS, name);
}

function lookUp(names: ReadonlyMap<string, number>, name: string): number | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const lower = name.toLowerCase();
  return names.get(lower) ?? names.get(lower.normalize("NFD").replace(/\p{M}/gu, ""));
}

function numberNames(table: readonly string[], first: number): ReadonlyMap<string, number> {
  return new Map(
    table.flatMap((names, index) => names.split(" ").map((name) => [name, index + first] as const)),
  );
}
