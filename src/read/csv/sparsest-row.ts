import type { SampleRow } from "./csv-sample.ts";
import { holdsDigit } from "./csv-words.ts";

/** The fewest cells filled by a row of full width; totals and remarks at either end do not count. */
export function countSparsest(rows: readonly SampleRow[], width: number, names: number): number {
  const full = rows.filter((row) => row.width === width && row.filled > 0);
  const isRow = (row: SampleRow): boolean => row.filled > names / 2 || !isRemark(row);
  const end = full.findLastIndex(isRow) + 1;
  return full
    .slice(full.findIndex(isRow), end)
    .reduce((fewest, { filled }) => Math.min(fewest, filled), Infinity);
}

/** The rows from the first one that is more than half full: any line before it may be a title. */
export function withoutTitles(
  rows: readonly SampleRow[],
  width: number,
  names: number,
): readonly SampleRow[] {
  return rows.slice(
    Math.max(
      rows.findIndex((row) => row.width === width && row.filled > names / 2),
      0,
    ),
  );
}

/** A line at an end of the rows: one cell, or a word where rows have their keys. */
function isRemark(row: SampleRow): boolean {
  return row.filled === 1 || !holdsDigit(row.cell(0));
}
