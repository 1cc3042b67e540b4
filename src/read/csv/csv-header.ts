import type { SampleRow } from "./csv-sample.ts";

/** Where the header is, or the line that stands where a header should and is none. */
export type HeaderSearch =
  | { readonly kind: "found"; readonly index: number }
  | { readonly kind: "none"; readonly row: SampleRow | undefined };

/** How far below the first candidate a line with known fields is looked for. */
const KNOWN_HEADER_ROWS = 20;

/**
 * The first full-width line of distinct cells of which none is a number or a date; one that holds known fields is
 * preferred. `width` is the number of cells that most rows have.
 */
export function findHeader(
  rows: readonly SampleRow[],
  width: number,
  isKnownHeader: (cell: string) => boolean = () => false,
): HeaderSearch {
  const emptyTail = countEmptyTail(rows, width);
  const least = width - emptyTail;
  const first = rows.findIndex((row) => !isTitle(row, least));
  const row = rows[first];
  const found = row === undefined ? -1 : rows.indexOf(row);
  if (row !== undefined && row.cells.some(isKnownHeader) && isCandidate(row, least)) {
    return { kind: "found", index: found };
  }
  const known = rows
    .slice(0, KNOWN_HEADER_ROWS)
    .findIndex((other) => isCandidate(other, least) && other.cells.some(isKnownHeader));
  if (known !== -1) {
    return { kind: "found", index: known };
  }
  return row !== undefined && isCandidate(row, least)
    ? { kind: "found", index: found }
    : { kind: "none", row };
}

/** How many cells most rows have; the wider where two are equally frequent. */
export function findWidth(rows: readonly SampleRow[], least = 1): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows) {
    if (cells.length >= least) {
      counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
    }
  }
  return [...counts].reduce(
    (best, entry) => (entry[1] > best[1] || (entry[1] === best[1] && entry[0] > best[0]) ? entry : best),
    [0, 0],
  )[0];
}

/** Columns at the end that are empty in every row of the full width. */
export function countEmptyTail(rows: readonly SampleRow[], width: number): number {
  let tail = width;
  for (const { cells } of rows) {
    if (cells.length === width) {
      tail = Math.min(tail, width - filledWidth(cells));
    }
  }
  return rows.length === 0 ? 0 : tail;
}

/** Cells up to the last one that is not empty. */
export function filledWidth(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== "") + 1;
}

/** A number, an amount, a date or a time: it begins no later than its digits and has as many digits as letters. */
export function isNumericLike(cell: string): boolean {
  let digits = 0;
  let letters = 0;
  for (const character of cell) {
    if (character >= "0" && character <= "9") {
      digits += 1;
    } else if (/\p{L}/u.test(character)) {
      if (digits === 0) return false;
      letters += 1;
    }
  }
  return digits > 0 && digits >= letters;
}

/** Above a header: at most half of the cells filled, whether the others are missing or padded as spreadsheets do. */
function isTitle({ cells }: SampleRow, least: number): boolean {
  const filled = cells.filter((cell) => cell.trim() !== "").length;
  const isIndexed = least === 2 && cells.length >= 2 && cells[0]?.trim() === "";
  return least > 1 && filled <= least / 2 && !isIndexed;
}

function isCandidate(row: SampleRow, least: number): boolean {
  if (row.cells.length < least || isTitle(row, least)) return false;
  const names = row.cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  return names.length > 0 && new Set(names).size === names.length && !names.some(isNumericLike);
}
