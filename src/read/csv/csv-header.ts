import { showCount } from "../../model/counts.ts";
import { quoteText } from "../../model/text.ts";
import { filledWidth, type SampleRow, usualWidth } from "./csv-sample.ts";

/** Asks where the header is. */
interface HeaderQuestion {
  readonly code: "no-header" | "data-above-header";
  /** The line that is in question. */
  readonly row: SampleRow;
  readonly what: string;
  /** The answers, the most likely first. */
  readonly hint: string;
}

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
): number | HeaderQuestion {
  const filled = rows.filter((row) => row.filled > 0);
  const width = usualTableWidth(filled);
  const full = filled.filter(({ cells }) => cells.length === width);
  // Empty columns do not count.
  const columns = Array.from({ length: width }, (_, at) => at).filter((at) =>
    full.some((row) => isFilled(row, at)),
  );
  const named = filled.slice(0, NAMED_LINES).findIndex((row) => countNames(row.cells, isKnown) > 1);
  const at =
    named === -1 ? filled.slice(0, MOST_TITLES + 1).findIndex((row) => mayName(row, width, columns)) : named;
  const header = filled[at];
  if (header === undefined) return askWithout(filled, columns);
  const above = filled.slice(0, at);
  const below = filled.slice(at + 1);
  const doubt = named === -1 ? findDoubt(header, below, columns, answersFor(header, filled)) : undefined;
  const sparsest = findSparsest(below);
  const other = above.find((row) => 2 * row.filled > header.filled || row.filled >= sparsest);
  // A line that is no certain header proves nothing about a line above it.
  if (other !== undefined && doubt !== undefined) return askWithout(filled, columns);
  if (other !== undefined || above.length > MOST_TITLES) return askAbove(header, other, above[0]!);
  return doubt ?? rows.indexOf(header);
}

/** The options that take a line as the header, and that take it as a row. */
function answersFor(
  { line }: SampleRow,
  [first]: readonly SampleRow[],
): readonly [take: string, none: string] {
  const isFirst = line === (first?.line ?? line);
  return [`--header-line ${line}`, `--no-header${isFirst ? "" : ` --skip-lines ${line - 1}`}`];
}

/** `other`: the line that is no title; `undefined` if there are too many titles. */
function askAbove(header: SampleRow, other: SampleRow | undefined, first: SampleRow): HeaderQuestion {
  const { line, filled } = header;
  const leaves = `--header-line ${line} leaves out all lines above it`;
  const isTitle = other === undefined || 2 * other.filled <= filled;
  return {
    code: "data-above-header",
    row: other ?? first,
    what:
      other === undefined
        ? `more lines than a table has titles are above the header in line ${line}: they would be lost`
        : `this line is not a title, and is above the header in line ${line}: it would be lost`,
    hint: isTitle
      ? `${leaves}; if they are rows, move the header to the top or split the file`
      : `move the header to the top if this line is a row, or split the file; ${leaves}`,
  };
}

/** The question about the line that is nearest to a header, where none can be one. */
function askWithout(filled: readonly SampleRow[], columns: readonly number[]): HeaderQuestion {
  const row = filled.find((one) => 2 * one.filled > columns.length) ?? filled[0]!;
  const [take, none] = answersFor(row, filled);
  // A line with a date is a title or a row.
  const isDated = row.cells.some((cell) => HOLDS_DATE.test(cell));
  const header = isDated
    ? "--header-line N, if line N names the columns"
    : `${take} if this line is the header`;
  const without = `${none} if the file has none`;
  const order = row.cells.some(isValue) || isDated ? `${without}, or ${header}` : `${header}, or ${without}`;
  const what = `no line looks like a header: ${whyNot(row, filled)}`;
  return { code: "no-header", row, what, hint: `${oneColumn(filled)}${order}` };
}

function whyNot({ cells, filled }: SampleRow, rows: readonly SampleRow[]): string {
  const width = usualWidth(rows.map((row) => row.cells.length));
  const value = cells.find(isValue);
  const twice = findTwice(cells);
  if (value === undefined && twice !== undefined)
    return `this one holds ${quoteText(twice, 40)} twice, and columns of one name are told apart by position`;
  if (cells.length !== width)
    return `this one has ${showCount(cells.length, "cell")}, most rows have ${width}`;
  return value === undefined
    ? `this one fills ${filled} of ${width} cells`
    : `this one holds ${quoteText(value, 40)}`;
}

/** Below a name alone, `68,527.00` is hardly two cells. */
function oneColumn([first, ...others]: readonly SampleRow[]): string {
  const areNumbers = others.every(({ cells }) => cells.every((cell) => /^\W*\d[\d.]*\W*$/.test(cell)));
  if (first?.cells.length !== 1 || others.length === 0 || !areNumbers) return "";
  return `--delimiter none --header-line ${first.line} if the file has one column; `;
}

/** The question about a line without two declared names that may be no header, by the rows below it. */
function findDoubt(
  header: SampleRow,
  below: readonly SampleRow[],
  columns: readonly number[],
  [take, none]: ReturnType<typeof answersFor>,
): HeaderQuestion | undefined {
  const ask = (what: string, hint: string, row = header): HeaderQuestion => ({
    code: "no-header",
    row,
    what,
    hint,
  });
  const telling = below.filter((row) => isTelling(row, header, columns.length));
  const body = telling.length > 0 ? telling : below;
  const [next] = body;
  if (next === undefined)
    return ask(
      "no row that can be read is below this line and would prove it to be a header: it may be a row, or a message",
      `${take} if this line names the columns, ${none} if it is a row`,
    );
  const alike = columns.find((column) => isAlike(header.cells[column] ?? "", valuesOf(body, column)));
  if (alike !== undefined)
    return ask(
      `this line may be the header or a row: ${quoteText(header.cells[alike]!, 40)} is like the cells below it`,
      `${none} if it is a row, or ${take} if it is the header`,
    );
  const proof = columns.filter((column) => isProven(header.cells[column] ?? "", valuesOf(body, column)));
  if (proof.length === 0)
    return ask(
      "this line may be the header or a row: it names no two columns that are declared, and no column below it holds numbers, dates or codes",
      `${take} if it names the columns, or ${none} if it is a row`,
    );
  const isSecond =
    proof.length > 1 &&
    body.length > 1 &&
    proof.every((column) => !holdsDigit(next.cells[column] ?? "")) &&
    proof.some((column) => isFilled(next, column));
  if (!isSecond) return undefined;
  return ask(
    `this line holds words where the rows below hold numbers, and so does line ${header.line}: both may name the columns`,
    `--header-line ${next.line} takes the names of this line, ${take} those of line ${header.line}`,
    next,
  );
}

/** The first row that is a full line of words where all rows above it hold numbers or dates, in two columns or more. */
export function findSecondHeader(body: readonly SampleRow[], width: number): SampleRow | undefined {
  return body.find((row, at) => {
    const isWords = row.filled === width && row.cells.every((cell) => !holdsDigit(cell));
    if (at === 0 || !isWords || findTwice(row.cells) !== undefined) return false;
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

/** How many different known names a line holds. */
export function countNames(cells: readonly string[], isKnown: (cell: string) => boolean): number {
  return new Set(cells.map((cell) => cell.trim()).filter(isKnown)).size;
}

/** True for a line that has a name for each column. */
function mayName(row: SampleRow, width: number, columns: readonly number[]): boolean {
  const isWide = filledWidth(row.cells) <= width && columns.every((column) => isFilled(row, column));
  return isWide && row.cells.every((cell) => !isValue(cell)) && findTwice(row.cells) === undefined;
}

/** A name that stands twice in a line, whatever its case. */
function findTwice(cells: readonly string[]): string | undefined {
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
const HOLDS_DATE = /\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}/;
const DATE = /^\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}(?:[T ].*)?$/;

/** True for a number, an amount or a date. */
function isValue(cell: string): boolean {
  const text = cell.trim();
  return text.length <= MOST_CHARACTERS && (NUMBER.test(text) || DATE.test(text));
}

function holdsDigit(cell: string): boolean {
  return /\d/.test(cell);
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
