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
