import type { SampleRow } from "./csv-sample.ts";
import { holdsDigit, isNumericLike } from "./csv-words.ts";

/** So many names, at least, has the header of a table in which a word alone is the heading of a page or a group. */
const NAMES = 3;
/** In so many cells two texts are hardly a row: the name of the program, and `Page 2`. */
const WIDE = 5;

/** The fewest cells filled by a row of full width; totals and remarks at either end do not count, nor headings between full rows. */
export function countSparsest(rows: readonly SampleRow[], width: number, names: number): number {
  const full = rows.filter((row) => row.width === width && row.filled > 0);
  const isRow = (row: SampleRow): boolean => row.filled > names / 2 || !isRemark(row);
  const body = full.slice(full.findIndex(isRow), full.findLastIndex(isRow) + 1);
  const others = body.filter((row) => !isWord(row));
  const fewest = fewestFilled(others);
  const areHeadings = fewest > 1 && names >= NAMES && 2 * others.length >= body.length;
  return areHeadings ? fewest : fewestFilled(body);
}

function fewestFilled(rows: readonly SampleRow[]): number {
  return rows.reduce((fewest, { filled }) => Math.min(fewest, filled), Infinity);
}

/** Words or a sign alone in a row. */
function isWord({ filled, cells }: SampleRow): boolean {
  return filled === 1 && !cells.some(isNumericLike);
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

/** A line at an end of the rows: one cell, two texts where there are many cells, or a word where rows have their keys. */
function isRemark(row: SampleRow): boolean {
  const areTexts = row.filled === 2 && row.width >= WIDE && !row.cells.some(isNumericLike);
  return row.filled === 1 || areTexts || !holdsDigit(row.cell(0));
}
