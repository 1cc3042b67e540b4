import { showCount } from "../../model/decimal-of.ts";
import type { RecPushError } from "../../model/failure.ts";
import { quoteText } from "../../model/refer-to-sheets.ts";
import { inputError } from "../input-error.ts";
import { countTitles, findHeader, type HeaderSearch, type IsKnown } from "./csv-header.ts";
import { countFilled, isNumericLike, type SampleRow } from "./csv-quote.ts";

/** Throws an input error if there are titles above rows without a header: they would be sent as records. */
export function refuseTitles(rows: readonly SampleRow[], file: string): void {
  const titles = countTitles(rows, findWidth(rows));
  if (titles === 0) return;
  const [{ line }] = rows as readonly [SampleRow];
  const last = rows[titles]!.line - 1;
  throw inputError(
    { file, line },
    "title-above-rows",
    titles === 1
      ? "this line looks like a title above the rows, which have no header"
      : `${titles} lines from this one on look like titles above the rows, which have no header`,
    {
      hint: `--skip-lines ${last} leaves ${titles === 1 ? "it" : "them"} out, --skip-lines 0 reads every line as a row`,
    },
  );
}

/** The error if no line is the header of these rows. */
export function noHeader(
  { row, why, later }: HeaderSearch & { readonly kind: "none" },
  rows: readonly SampleRow[],
  file: string,
): RecPushError {
  const above = row === undefined ? 0 : rows.indexOf(row);
  const skip = above > 0 ? ` --skip-lines ${row!.line - 1}` : "";
  const next = later === undefined ? "" : `--header-line ${later.line} if that line is the header, or `;
  if (why === "form" && row !== undefined && isOnlyTwice(row, findWidth(rows))) {
    const hint = `${next}--header-line ${row.line} if this line is the header: columns of one name are then told apart by position; or --no-header${skip} if the file has none`;
    return inputError({ file, line: row.line }, "no-header", reasonOf(why, row, rows), { hint });
  }
  const hint = `${next}--no-header${skip} if the file has none, or ${row === undefined ? "--header-line N if line N is the header" : `--header-line ${row.line} if this line is the header`}`;
  if (row === undefined) return inputError({ file }, "no-header", "no line looks like a header", { hint });
  return inputError({ file, line: row.line }, "no-header", reasonOf(why, row, rows), { hint });
}

/** The error for a row above the header, which would be lost. */
export function dataAbove(
  { row, index }: HeaderSearch & { readonly kind: "dataAbove" },
  rows: readonly SampleRow[],
  file: string,
): RecPushError {
  const line = rows[index]?.line;
  return inputError(
    { file, line: row.line },
    "data-above-header",
    `this line is not a title, and is above the header in line ${line}: it would be lost`,
    {
      hint: `move the header to the top, or split the file; --header-line ${line} leaves out all lines above it`,
    },
  );
}

function reasonOf(
  why: (HeaderSearch & { readonly kind: "none" })["why"],
  row: SampleRow,
  rows: readonly SampleRow[],
): string {
  switch (why) {
    case "form":
      return `no line looks like a header: ${whyNoHeader(row, findWidth(rows))}`;
    case "named":
      return "this line names columns, and other columns of the table have no name";
    case "only":
      return "no row that can be read is below this line and would prove it to be a header: it may be a row, or a message";
    case "alike":
      return "this line may be the header or a row: it names no column that is declared, and the rows below look like it";
  }
}

/** True for a line that would be a header if its names differed. */
function isOnlyTwice({ cells }: SampleRow, width: number): boolean {
  return (
    cells.length >= width && !cells.some((cell) => isNumericLike(cell)) && findTwice(cells) !== undefined
  );
}

function whyNoHeader({ cells }: SampleRow, width: number): string {
  if (cells.length < width) return `this one has ${showCount(cells.length, "cell")}, most rows have ${width}`;
  const numeric = cells.find((cell) => isNumericLike(cell));
  if (numeric !== undefined) return `this one holds ${quoteText(numeric, 40)}`;
  const twice = findTwice(cells);
  return twice === undefined
    ? `this one fills ${countFilled(cells)} of ${width} cells`
    : `this one holds ${quoteText(twice, 40)} twice`;
}

function findTwice(cells: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const cell of cells) {
    if (cell.trim() !== "" && seen.has(cell)) return cell;
    seen.add(cell);
  }
  return undefined;
}

/** The part of a sample that forms a table: titles above and remarks below do not belong to it. */
export interface TableStretch {
  /** The number of cells that most of its rows have. */
  readonly width: number;
  readonly search: HeaderSearch;
  /** Rows above the header. */
  readonly above: number;
  /** The rows from below the header to the last one of full width. */
  readonly body: readonly SampleRow[];
  /** Rows below the body. */
  readonly below: number;
}

/** Number of widths tried if there are several. */
const MOST_WIDTHS = 3;
/** The smallest share of rows with its width at which a stretch differs from rows of other widths. */
const PURE_SHARE = 0.9;

/**
 * Finds the table among rows; `least` is the smallest number of columns that it may have. It is a stretch of one width
 * with nothing but titles above it: one with a declared header, else the largest; otherwise the one with the most
 * frequent width.
 */
export function findTable(
  rows: readonly SampleRow[],
  least: number,
  isKnown?: IsKnown,
  hasHeader = true,
): TableStretch | undefined {
  const widths = rankWidths(rows, least);
  const [most] = widths;
  if (most === undefined) return undefined;
  if (!hasHeader) return stretchOf(rows, most, isKnown, false);
  const stretches = widths.map((width) => stretchOf(rows, width, isKnown));
  const pure = stretches
    .filter(isPure)
    .sort((a, b) => Number(isCertain(b)) - Number(isCertain(a)) || sizeOf(b) - sizeOf(a));
  return pure[0] ?? stretches[0];
}

function isPure({ width, body, search }: TableStretch): boolean {
  const full = body.filter((row) => row.width === width).length;
  return search.kind === "found" && full > 0 && full >= PURE_SHARE * body.length;
}

function isCertain({ search }: TableStretch): boolean {
  return search.kind === "found" && search.isCertain;
}

function sizeOf({ width, body }: TableStretch): number {
  return width * (body.length + 1);
}

/** The number of cells that most rows have; of two equally frequent numbers, the larger. */
export function findWidth(rows: readonly SampleRow[], least = 1): number {
  return rankWidths(rows, least)[0] ?? 0;
}

/** The table of this width. */
export function stretchOf(
  rows: readonly SampleRow[],
  width: number,
  isKnown?: IsKnown,
  hasHeader = true,
): TableStretch {
  const search: HeaderSearch = hasHeader
    ? findHeader(rows, width, isKnown)
    : { kind: "found", index: -1, isCertain: true };
  const header = search.kind === "none" ? -1 : search.index;
  const end = rows.findLastIndex((row) => row.width === width) + 1;
  return {
    width,
    search,
    above: Math.max(header, 0),
    body: rows.slice(header + 1, Math.max(end, header + 1)),
    below: rows.length - Math.max(end, header + 1),
  };
}

/**
 * True if the rows outside the stretch may be titles and remarks: they are no more than its rows, or its rows all have
 * one width. `faults`: its rows that cannot be read.
 */
export function isSupported(
  { width, search, above, body, below }: TableStretch,
  faults: number,
  delimiter: string,
): boolean {
  // Prose contains commas: two columns of it among other lines are not a table, unless they are declared.
  const isCertain = search.kind === "found" && search.isCertain;
  const mayStandInside = width > 2 || delimiter !== "," || isCertain;
  const full = body.filter((row) => row.width === width).length;
  const isWhole = width > 2 && full > 0 && full === body.length && faults === 0;
  return (
    (above === 0 || (mayStandInside && (isWhole || above <= Math.max(body.length, 3)))) &&
    (below === 0 || (full > 0 && (isWhole || below <= full)))
  );
}

/** Widths by their number of rows, larger widths first among equals; only the first if it has nearly all rows. */
function rankWidths(rows: readonly SampleRow[], least: number): number[] {
  const counts = new Map<number, number>();
  for (const { width } of rows) {
    if (width >= least) counts.set(width, (counts.get(width) ?? 0) + 1);
  }
  const ranked = [...counts].sort(([a, rowsOfA], [b, rowsOfB]) => rowsOfB - rowsOfA || b - a);
  const wide = ranked.reduce((sum, [, count]) => sum + count, 0);
  const hasMost = ranked.length > 0 && ranked[0]![1] >= PURE_SHARE * wide;
  return ranked.slice(0, hasMost ? 1 : MOST_WIDTHS).map(([width]) => width);
}
