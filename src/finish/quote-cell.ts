/** The characters with which a spreadsheet formula begins, with their full-width forms. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const NEGATIVE = /^-\d+([.,]\d+)?$/;

/** A cell of a CSV for spreadsheets (RFC 4180): quoted where necessary, and never read as a formula. */
export function quoteCell(text: string, delimiter: string): string {
  const safe = FORMULA.test(text) && !NEGATIVE.test(text) ? `'${text}` : text;
  const isPlain = !/["\r\n]/.test(safe) && !safe.includes(delimiter);
  return isPlain ? safe : `"${safe.replaceAll('"', '""')}"`;
}
