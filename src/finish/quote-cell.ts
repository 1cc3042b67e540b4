/** A cell of a CSV for spreadsheets (RFC 4180): quoted if it has to be, and never a formula. */
export function quoteCell(text: string, delimiter: string): string {
  const safe = /^[=+@\t]/.test(text) ? `'${text}` : text;
  const isPlain = !/["\r\n]/.test(safe) && !safe.includes(delimiter);
  return isPlain ? safe : `"${safe.replaceAll('"', '""')}"`;
}
