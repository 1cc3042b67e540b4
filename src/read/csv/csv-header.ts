import { filledWidth, type SampleRow, usualWidth } from "./csv-sample.ts";

/** Where the header is, or why that is a question. */
export type HeaderSearch =
  | { readonly kind: "found"; readonly index: number }
  | {
      readonly kind: "ask";
      readonly why: WhyAsk;
      /** The line that is in question. */
      readonly row: SampleRow;
      /** The line that would be the header, if it is another. */
      readonly header?: SampleRow;
      /** The cell that shows it. */
      readonly cell?: string | undefined;
    };

type WhyAsk =
  /** No line can be the header: this one is the nearest. */
  | "none"
  /** It could be, but for names that are equal. */
  | "twice"
  /** A line above it is no title. */
  | "above"
  /** There are too many lines above it. */
  | "titles"
  /** There are no rows below it. */
  | "only"
  /** It is built like the rows. */
  | "row"
  /** Neither it nor the rows hold anything but words. */
  | "words"
  /** The next line holds names too. */
  | "second";

/** How far down a line of declared names is searched for. */
const NAMED_LINES = 200;
const MOST_TITLES = 15;
/** So many of a column's cells must hold a digit to prove that the word above them is its name. */
const PROOF_SHARE = 0.9;
/** The column in which rows have their key or code is filled in so many of them. */
const LEADING_SHARE = 0.95;

/**
 * Finds the header of the table in `rows`: the first line with two declared names, else the first line that fills all columns
 * with different words, none of them a number or a date, if a column proves it: its name has no digit, and its cells have.
 */
export function findHeader(
  rows: readonly SampleRow[],
  isKnown: (cell: string) => boolean = () => false,
): HeaderSearch {
  const filled = rows.filter((row) => row.filled > 0);
  const width = usualTableWidth(filled);
  const full = filled.filter(({ cells }) => cells.length === width);
  // Empty columns do not count.
  const columns = Array.from({ length: width }, (_, at) => at).filter((at) =>
    full.some((row) => isFilled(row, at)),
  );
  const named = filled.slice(0, NAMED_LINES).findIndex((row) => namesOf(row, isKnown) > 1);
  const at =
    named === -1 ? filled.slice(0, MOST_TITLES + 1).findIndex((row) => mayName(row, width, columns)) : named;
  const header = filled[at];
  if (header === undefined) return tellNearest(filled, columns);
  const above = filled.slice(0, at);
  const below = filled.slice(at + 1);
  const ask = (why: WhyAsk, row = header, cell?: string): HeaderSearch => ({
    kind: "ask",
    why,
    row,
    header,
    cell,
  });
  const doubt = named === -1 ? findDoubt(header, below, columns) : undefined;
  const sparsest = findSparsest(below);
  const other = above.find((row) => 2 * row.filled > header.filled || row.filled >= sparsest);
  // A line that is no certain header proves nothing about a line above it.
  if (other !== undefined && doubt !== undefined) return tellNearest(filled, columns);
  if (other !== undefined) return ask("above", other);
  if (above.length > MOST_TITLES) return ask("titles", above[0]);
  if (doubt !== undefined) return ask(doubt.why, doubt.row, doubt.cell);
  return { kind: "found", index: rows.indexOf(header) };
}

/** Why a line without two declared names may be no header, by the rows below it. */
function findDoubt(
  header: SampleRow,
  below: readonly SampleRow[],
  columns: readonly number[],
): { readonly why: WhyAsk; readonly row?: SampleRow; readonly cell?: string | undefined } | undefined {
  const telling = below.filter((row) => isTelling(row, header, columns.length));
  const body = telling.length > 0 ? telling : below;
  const [next] = body;
  if (next === undefined) return { why: "only" };
  const alike = columns.find((column) => isAlike(header.cells[column] ?? "", valuesOf(body, column)));
  if (alike !== undefined) return { why: "row", cell: header.cells[alike] };
  const proof = columns.filter((column) => isProven(header.cells[column] ?? "", valuesOf(body, column)));
  if (proof.length === 0) return { why: "words" };
  const isSecond =
    proof.length > 1 &&
    body.length > 1 &&
    proof.every((column) => !holdsDigit(next.cells[column] ?? "")) &&
    proof.some((column) => isFilled(next, column));
  return isSecond ? { why: "second", row: next } : undefined;
}

/** The first row that is a full line of words where all rows above it hold numbers or dates, in two columns or more. */
export function findSecondHeader(body: readonly SampleRow[], width: number): SampleRow | undefined {
  return body.find((row, at) => {
    const isWords = row.filled === width && row.cells.every((cell) => !holdsDigit(cell));
    if (at === 0 || !isWords || findTwice(row) !== undefined) return false;
    const columns = row.cells.filter((_, column) => {
      const values = valuesOf(body.slice(0, at), column);
      return values.length > 0 && values.every(isValue);
    });
    return columns.length > 1;
  });
}

/** Titles and remarks have one cell: only wider rows count, if there are any. */
function usualTableWidth(rows: readonly SampleRow[]): number {
  const widths = rows.map(({ cells }) => cells.length);
  return usualWidth(widths.filter((width) => width > 1)) || usualWidth(widths);
}

function isFilled({ cells }: SampleRow, column: number): boolean {
  return (cells[column] ?? "").trim() !== "";
}

function namesOf({ cells }: SampleRow, isKnown: (cell: string) => boolean): number {
  return new Set(cells.map((cell) => cell.trim()).filter(isKnown)).size;
}

/** True for a line that has a name for each column. */
function mayName(row: SampleRow, width: number, columns: readonly number[]): boolean {
  const isWide = filledWidth(row.cells) <= width && columns.every((column) => isFilled(row, column));
  return isWide && row.cells.every((cell) => !isValue(cell)) && findTwice(row) === undefined;
}

/** A name that stands twice in a line, whatever its case. */
export function findTwice({ cells }: SampleRow): string | undefined {
  const seen = new Set<string>();
  for (const cell of cells) {
    const name = cell.trim().toLowerCase();
    if (name !== "" && seen.has(name)) return cell.trim();
    seen.add(name);
  }
  return undefined;
}

/** Longer cells are neither. */
const MOST_CHARACTERS = 40;
const NUMBER = /^[-+(]?\s*[€$£]?\s*\d[\d\s.,'’]*\)?\s*(?:[€$£%]|EUR)?$/;
const DATE = /^\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}(?:[T ].*)?$/;

/** True for a number, an amount or a date. */
export function isValue(cell: string): boolean {
  const text = cell.trim();
  return text.length <= MOST_CHARACTERS && (NUMBER.test(text) || DATE.test(text));
}

function holdsDigit(cell: string): boolean {
  return /\d/.test(cell);
}

function tellNearest(filled: readonly SampleRow[], columns: readonly number[]): HeaderSearch {
  const row = filled.find((one) => 2 * one.filled > columns.length) ?? filled[0]!;
  const isTwice = columns.every((column) => isFilled(row, column)) && !row.cells.some(isValue);
  return { kind: "ask", why: isTwice && findTwice(row) !== undefined ? "twice" : "none", row };
}

/**
 * The fewest cells filled by a row that has its key or code: the first column that the fuller half of the rows fills. Rows
 * without it are remarks or totals, and those of one cell are no rows.
 */
function findSparsest(below: readonly SampleRow[]): number {
  const width = usualTableWidth(below);
  const rows = below.filter(({ cells, filled }) => cells.length === width && filled > 1);
  const counts = rows.map(({ filled }) => filled).sort((left, right) => left - right);
  const median = counts[counts.length >> 1] ?? 0;
  const fuller = rows.filter(({ filled }) => filled >= median);
  const leading = Array.from({ length: width }, (_, at) => at).find(
    (at) => fuller.filter((row) => isFilled(row, at)).length >= LEADING_SHARE * fuller.length,
  );
  if (leading === undefined) return counts[0] ?? Infinity;
  const values = valuesOf(fuller, leading);
  const areCodes = values.filter(holdsDigit).length >= PROOF_SHARE * values.length;
  const proper = rows.filter(
    (row) => isFilled(row, leading) && (!areCodes || holdsDigit(row.cells[leading]!)),
  );
  return proper.reduce((fewest, { filled }) => Math.min(fewest, filled), Infinity);
}

/** False for a row that is no evidence about a header: the header again, dashes, the numbers of the columns, a remark. */
function isTelling(row: SampleRow, header: SampleRow, columns: number): boolean {
  const { cells, filled } = row;
  if (columns > 1 && (filled < 2 || 2 * cells.length < columns)) return false;
  const isIdle = (cell: string, at: number): boolean => {
    const text = cell.trim();
    return text === "" || /^[-=_*—]+$/.test(text) || text.replace(/[()]/g, "") === String(at + 1);
  };
  const isAgain = cells.every(
    (cell, at) => cell.trim().toLowerCase() === header.cells[at]?.trim().toLowerCase(),
  );
  return !isAgain && !cells.every(isIdle);
}

function valuesOf(rows: readonly SampleRow[], column: number): readonly string[] {
  return rows.map(({ cells }) => (cells[column] ?? "").trim()).filter((cell) => cell !== "");
}

/** True for a cell that is a value of its column, or built as half of them are: `F1` above `F2`. */
function isAlike(cell: string, values: readonly string[]): boolean {
  const text = cell.trim();
  if (text === "") return false;
  if (values.includes(text)) return true;
  return (
    holdsDigit(text) &&
    2 * values.filter((value) => shapeOf(value) === shapeOf(text)).length >= Math.max(values.length, 1)
  );
}

function shapeOf(cell: string): string {
  return cell.replaceAll(/\p{L}+/gu, "a").replaceAll(/\d+/g, "9");
}

function isProven(name: string, values: readonly string[]): boolean {
  return (
    !holdsDigit(name) && values.length > 0 && values.filter(holdsDigit).length >= PROOF_SHARE * values.length
  );
}
