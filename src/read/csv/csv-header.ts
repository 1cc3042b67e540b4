import { countFilled, findSpans, holdsDigit, isNumericLike, type SampleRow } from "./csv-quote.ts";
import { isLabelled, isTitle, isWordAbove, RowsBelow } from "./title-row.ts";

/** Where the header is, or why that cannot be determined. */
export type HeaderSearch =
  | { readonly kind: "found"; readonly index: number; readonly isCertain: boolean }
  /** The line found where the header should be, which is not a header. */
  | {
      readonly kind: "none";
      readonly row: SampleRow | undefined;
      readonly why: WhyNoHeader;
      /** A line below it that looks like one, if it may be left out. */
      readonly later?: SampleRow | undefined;
    }
  /** A row above the header is not a title, so it would be lost. */
  | { readonly kind: "dataAbove"; readonly index: number; readonly row: SampleRow };

/**
 * `form`: its cells; `named`: it names columns but not all of them; `alike`: the rows below look like it; `only`: there are
 * none below that could prove it.
 */
type WhyNoHeader = "form" | "named" | "alike" | "only";

/** Returns whether a cell names a declared field or column. */
export type IsKnown = (cell: string) => boolean;

/** How far down a line of declared names is searched for. */
const KNOWN_HEADER_ROWS = 200;
/** Number of lines examined below the first that may be a header. */
const RIVAL_ROWS = 20;
/** Rows above a header are a table of their own if this many fill the same cells, {@link CELLS_OF_A_TABLE} or more. */
const ROWS_OF_A_TABLE = 3;
const CELLS_OF_A_TABLE = 3;
/** Number of rows used to distinguish a header of undeclared names from data. */
const ROWS_TO_COMPARE = 100;
const TELLING_SHARE = 0.9;
const MOST_ROWS = 0.5;

/**
 * Finds the header of the table in `rows`, whose rows mostly have `width` cells: the line of declared names, else the
 * first line that is not a title, whose cells are distinct, none of them a number or a date, and unlike the rows below.
 * Filled cells count, never delimiters.
 */
export function findHeader(rows: readonly SampleRow[], width: number, isKnown?: IsKnown): HeaderSearch {
  const least = width - countEmptyTail(rows, width);
  const certain =
    isKnown === undefined
      ? -1
      : rows.slice(0, KNOWN_HEADER_ROWS).findIndex((row) => isCertain(row, least, isKnown));
  if (certain !== -1) {
    const data = findDataAbove(rows, certain, width);
    return data === undefined
      ? { kind: "found", index: certain, isCertain: true }
      : { kind: "dataAbove", index: certain, row: data };
  }
  const sparsest = countSparsest(withoutTitles(rows, width, least), width, least);
  const index = rows.findIndex(
    (row, at) => !isTitle(row, least, width, sparsest) && !isLabelled(row, rows.slice(at + 2)),
  );
  const row = rows[index];
  const named = isKnown && rows.slice(0, Math.max(index, 0)).find((title) => namesColumns(title, isKnown));
  if (named !== undefined) return { kind: "none", row: named, why: "named" };
  if (row === undefined || !isCandidate(row, least))
    return { kind: "none", row, why: "form", later: findLater(rows, index, least, width) };
  const data = findDataAbove(rows, index, width);
  if (data !== undefined) return { kind: "dataAbove", index, row: data };
  const rival = isKnown && findRival(rows, index, width, isKnown);
  if (rival !== undefined) return { kind: "dataAbove", index: rows.indexOf(rival), row };
  const isOnly = isKnown !== undefined && rows.slice(index + 1).every(({ filled }) => filled === 0);
  if (isOnly) return { kind: "none", row, why: "only" };
  const isTold =
    isKnown === undefined || row.cells.some(isKnown) || isUnlike(row, rows.slice(index + 1), width);
  if (isTold) return { kind: "found", index, isCertain: false };
  // Where it leaves columns without a name, the first line that names them all may be the header.
  const full = rows.findIndex((other, at) => at > index && other.filled >= least);
  const later = row.filled < least && full > index ? findLater(rows, full - 1, least, width) : undefined;
  return { kind: "none", row, why: "alike", later };
}

/** Number of lines at the top that are titles above rows without a header; the rows mostly have `width` cells. */
export function countTitles(rows: readonly SampleRow[], width: number): number {
  const least = width - countEmptyTail(rows, width);
  const count = rows.findIndex((row, at) => {
    const body = rows.slice(at + 1);
    const sparsest = countSparsest(withoutTitles(body, width, least), width, least);
    return (
      row.filled > 0 &&
      !isTitle(row, least, width, sparsest) &&
      !isLabelled(row, body) &&
      !isWordAbove(row, body, sparsest)
    );
  });
  // Where every line could be a title, there are no rows for them to be above.
  return rows.slice(0, Math.max(count, 0)).some(({ filled }) => filled > 0) ? count : 0;
}

/** Columns at the end that are empty in every row of full width. */
export function countEmptyTail(rows: readonly SampleRow[], width: number): number {
  let tail = width;
  for (const row of rows) {
    if (tail === 0) break;
    if (row.width === width) tail = Math.min(tail, width - filledWidth(row.cells));
  }
  return rows.length === 0 ? 0 : tail;
}

/** Cells up to the last one that is not empty. */
export function filledWidth(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== "") + 1;
}

/**
 * Certainly a header: it holds two declared names, or all of its cells are such and differ. A name that is there twice is
 * then a question about columns.
 */
function isCertain(row: SampleRow, least: number, isKnown: IsKnown): boolean {
  const names = namesOf(row);
  if (!mayName(row, names, least)) return false;
  const known = [...new Set(names)].filter(isKnown).length;
  return known > 1 || (known === names.length && known > 0);
}

/** A line close to the first one that names a declared column of numbers, if the first names none. */
function findRival(
  rows: readonly SampleRow[],
  index: number,
  width: number,
  isKnown: IsKnown,
): SampleRow | undefined {
  if (rows[index]!.cells.some(isKnown)) return undefined;
  return rows.slice(index + 1, index + 1 + RIVAL_ROWS).find((row, at) => {
    const below = rows.slice(index + 2 + at);
    const names = row.cells.map((cell) => (isKnown(cell) ? cell : ""));
    return (
      row.width === width &&
      !row.cells.some(isNumericLike) &&
      names.some((name) => name !== "") &&
      below.length > 0 &&
      isUnlike({ cells: names }, below, width, MOST_ROWS)
    );
  });
}

/** The next line that looks like a header, below one that is not: programs put a line with their version above it. */
function findLater(
  rows: readonly SampleRow[],
  index: number,
  least: number,
  width: number,
): SampleRow | undefined {
  const later = index === -1 ? undefined : rows[index + 1];
  const below = rows.slice(index + 2);
  const isHeader =
    later !== undefined && below.length > 0 && isCandidate(later, least) && isUnlike(later, below, width);
  return isHeader ? later : undefined;
}

/** A row above the header that may be lost data: not a title of it, or a row of a separate table. */
function findDataAbove(rows: readonly SampleRow[], header: number, width: number): SampleRow | undefined {
  const above = rows.slice(0, header).filter(({ filled }) => filled > 0);
  if (above.length === 0) return undefined;
  const body = rows.slice(header + 1);
  const names = rows[header]!.filled;
  const sparsest = countSparsest(body, width, names);
  const below = new RowsBelow(body);
  const data = above.find(
    (row) =>
      below.areShapedLike(row) ||
      below.areFilledLike(row) ||
      (!isTitle(row, names, width, sparsest) && !isLabelled(row, body) && !below.isProseAbove(row)),
  );
  return data ?? findTable(above);
}

function findTable(above: readonly SampleRow[]): SampleRow | undefined {
  const shapes = above.map(({ cells }) =>
    cells
      .map((cell) => (cell.trim() === "" ? " " : "x"))
      .join("")
      .trimEnd(),
  );
  return above.find(
    ({ cells }, at) =>
      countFilled(cells) >= CELLS_OF_A_TABLE &&
      shapes.slice(at, at + ROWS_OF_A_TABLE).filter((shape) => shape === shapes[at]).length ===
        ROWS_OF_A_TABLE,
  );
}

/** A line of names that leaves some columns unnamed: neither a title nor a header. */
function namesColumns({ cells }: SampleRow, isKnown: IsKnown): boolean {
  return countFilled(cells) > 1 && cells.some((cell) => isKnown(cell) && !isNumericLike(cell));
}

function isCandidate(row: SampleRow, least: number): boolean {
  const names = namesOf(row);
  return mayName(row, names, least) && new Set(names).size === names.length;
}

function namesOf({ cells }: SampleRow): readonly string[] {
  return cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
}

/** True if a row has names for enough columns, none of them a number or a date. */
function mayName(row: SampleRow, names: readonly string[], least: number): boolean {
  const isShort = row.cells.length < least || (least > 1 && names.length <= least / 2);
  const isIndexed = least === 2 && row.cells.length >= 2 && names.length === 1;
  if (isShort && !(isIndexed && row.cells.length >= least)) return false;
  const numbers = names.filter(isNumericLike);
  const spans = numbers.length > 1 ? findSpans(numbers) : [];
  return names.length > spans.length && numbers.length === spans.length;
}

/** True if a column holds numbers in nearly all rows and none in the header, or if there is no row to compare. */
function isUnlike(
  header: Pick<SampleRow, "cells">,
  body: readonly SampleRow[],
  width: number,
  share = TELLING_SHARE,
): boolean {
  const rows = body.filter((row) => row.width === width).slice(0, ROWS_TO_COMPARE);
  return (
    rows.length === 0 ||
    header.cells.some((name, column) => {
      if (name.trim() === "" || holdsDigit(name)) return false;
      const filled = rows.map((row) => row.cell(column)).filter((cell) => cell.trim() !== "");
      const figures = filled.filter(holdsDigit).length;
      const numbers = filled.filter(isNumericLike).length;
      return numbers > filled.length / 2 || (figures > 0 && figures >= share * filled.length);
    })
  );
}

/** So many names, at least, has the header of a table in which a word alone is the heading of a page or a group. */
const NAMES = 3;
/** In so many cells two texts are hardly a row: the name of the program, and `Page 2`. */
const WIDE = 5;

/** The fewest cells filled by a row of full width; totals and remarks at either end do not count, nor headings between full rows. */
function countSparsest(rows: readonly SampleRow[], width: number, names: number): number {
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
function withoutTitles(rows: readonly SampleRow[], width: number, names: number): readonly SampleRow[] {
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
