/** The name of a cell of a sheet as spreadsheets show it: `C12`. The column counts from 1. */
export function cellName(column: number, row: number): string {
  return `${columnLetters(column)}${row}`;
}

/** The letters of a column, counted from 1: `A`, `Z`, `AA`. */
export function columnLetters(column: number): string {
  const last = String.fromCharCode(65 + ((column - 1) % 26));
  return column <= 26 ? last : columnLetters(Math.floor((column - 1) / 26)) + last;
}
