import type { CsvRow } from "./csv-row.ts";
import { holdsDigit, isNumericLike } from "./csv-words.ts";

/** The columns by which the header of a second table is recognised; positions are counted from 0. */
export interface TellingColumns {
  /** Those that hold numbers or dates; fewer than two prove nothing, so none are given. */
  readonly numeric: readonly number[];
  /** The first one whose values all contain digits, such as a key: it tells a header below a blank line. */
  readonly code: number | undefined;
}

/** What tells nothing: no row is the header of another table. */
export const NOTHING_TELLING: TellingColumns = { numeric: [], code: undefined };

/** Share of a column's filled cells that must be numbers or dates, or contain digits, for a word there to be an exception. */
const SHARE = 0.9;
/** Fewer values prove nothing about a column. */
const LEAST_ROWS = 2;
/** So many rows tell what a column holds. */
const MOST_ROWS = 4096;
/** Fewer rows above a line of words prove nothing if no blank line separates them. */
const LEAST_ROWS_ABOVE = 2;

/** The telling columns of a table, by the beginning of its rows: a second table among them does not count against them. */
export function findTellingColumns(body: readonly CsvRow[], width: number): TellingColumns {
  const rows = body.filter((row) => row.width >= width);
  const above = rows.slice(0, findHeaderAfterGap(rows));
  return {
    numeric: findNumericColumns(rows, above, width),
    code: findCode(above.slice(0, MOST_ROWS), width),
  };
}

/** True if the cells are names: all of them filled with letters, and distinct. They may contain digits after these. */
export function areNames(cells: readonly string[]): boolean {
  return (
    new Set(cells).size === cells.length && cells.every((cell) => /\p{L}/u.test(cell) && !isNumericLike(cell))
  );
}

/** True if the cells are names without digits. */
export function areWords(cells: readonly string[]): boolean {
  return areNames(cells) && !cells.some(holdsDigit);
}

/** The index of the first row of names after a blank line, the number of rows if there is none. */
function findHeaderAfterGap(rows: readonly CsvRow[]): number {
  const found = rows.findIndex((row, at) => {
    const before = rows[at - 1];
    const isAfterGap = before !== undefined && (before.end !== row.start || before.filled === 0);
    return isAfterGap && areNames(row.cells);
  });
  return found === -1 ? rows.length : found;
}

function findNumericColumns(
  rows: readonly CsvRow[],
  above: readonly CsvRow[],
  width: number,
): readonly number[] {
  const usual = findNumeric(rows.slice(0, MOST_ROWS), width);
  if (usual.length > 0) return usual;
  const first = findNumeric(above, width);
  if (first.length > 0) return first;
  // The only line of words in a file is an exception, however few rows there are.
  const words = rows.flatMap((row, at) => (row.width === width && areWords(row.cells) ? [at] : []));
  const [only = 0] = words;
  return words.length === 1 && only >= LEAST_ROWS_ABOVE ? findNumeric(rows.slice(0, only), width) : [];
}

function findNumeric(rows: readonly CsvRow[], width: number): readonly number[] {
  const positions = columnsOf(width).filter((column) => isShared(rows, column, isNumericLike));
  return positions.length > 1 ? positions : [];
}

function findCode(rows: readonly CsvRow[], width: number): number | undefined {
  if (width === 1) return undefined;
  return columnsOf(width).find((column) => isShared(rows, column, holdsDigit, LEAST_ROWS));
}

/** True if nearly all of a column's filled cells, of which there are `least`, pass. */
function isShared(
  rows: readonly CsvRow[],
  column: number,
  test: (value: string) => boolean,
  least = 1,
): boolean {
  let passing = 0;
  let filled = 0;
  for (const row of rows) {
    const cell = row.cell(column);
    const passes = test(cell);
    if (passes) passing++;
    if (passes || cell.trim() !== "") filled++;
  }
  return passing > 0 && filled >= least && passing >= SHARE * filled;
}

function columnsOf(width: number): number[] {
  return Array.from({ length: width }, (_, column) => column);
}
