/** The signs with which spreadsheets begin a formula, also in their full width. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const NEGATIVE = /^-\d+([.,]\d+)?$/;

/** A cell of a CSV for spreadsheets (RFC 4180): quoted if it has to be, and never a formula. */
export function quoteCell(text: string, delimiter: string): string {
  const safe = FORMULA.test(text) && !NEGATIVE.test(text) ? `'${text}` : text;
  const isPlain = !/["\r\n]/.test(safe) && !safe.includes(delimiter);
  return isPlain ? safe : `"${safe.replaceAll('"', '""')}"`;
}
