import type { RowProblem, UnreadableRow } from "../../model/problem-groups.ts";
import type { Marks } from "./csv-grammar.ts";
import type { CsvRow } from "./entity-seam.ts";
import { RowScanner, type ScannedRows } from "./row-scanner.ts";

/** This many rows are enough to distinguish two ways of quoting. */
const JUDGED_ROWS = 2_000;

/** A way of quoting, and how the sample reads when it is used. */
export interface QuoteStyle {
  readonly marks: Marks;
  readonly table: SampleTable;
  /** A cell between apostrophes, which may be quotes or text. */
  readonly openQuote?: OpenQuote;
}

/**
 * Settles quote and escape for one delimiter: `"` doubled unless an option says otherwise. A backslash escapes if that
 * alone makes sense of the quotes. In French the apostrophe is a letter, so that only an option makes it a quote.
 */
export function settleQuoteStyle(
  sample: CsvSample,
  delimiter: string,
  pinned: { readonly quote?: Marks["quote"] | undefined; readonly escape?: Marks["escape"] | undefined },
): QuoteStyle {
  const judge = (quote: Marks["quote"], escape: Marks["escape"]): QuoteStyle => {
    const marks: Marks = { delimiter, quote, escape: quote === "" ? "" : escape };
    return { marks, table: scanSample(sample, marks, JUDGED_ROWS) };
  };
  const quote = pinned.quote ?? (pinned.escape === "'" ? "'" : '"');
  const plain = judge(quote, pinned.escape ?? quote);
  if (pinned.escape === undefined && quote !== "" && sample.bytes.includes(`\\${quote}`)) {
    const backslash = judge(quote, "\\");
    const faults = backslash.table.problems.length;
    if (faults === 0 && faults < plain.table.problems.length) return backslash;
  }
  if (pinned.quote !== undefined || quote === "'" || !sample.bytes.includes("'")) return plain;
  const { rows } = plain.table;
  if (rows.some(({ cells }) => cells.some((cell) => cell.startsWith('"')))) return plain;
  const openQuote = findOpenQuote(rows);
  return openQuote === undefined ? plain : { ...plain, openQuote };
}

/** A cell between apostrophes. */
export interface OpenQuote {
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
  readonly value: string;
}

/** Words that programs write without quotes even if they quote all other text. */
const BARE_WORD = /^(?:null|\\n|true|false)$/i;

/** A column whose filled cells, except its header, are all between apostrophes: they may be quotes. */
function findOpenQuote(rows: readonly SampleRow[]): OpenQuote | undefined {
  const width = rows.find(({ cells }) => cells.some(isQuoted))?.width ?? 0;
  const table = rows.filter(({ cells }) => cells.length === width && isFull(cells, width));
  for (let index = 0; index < width; index += 1) {
    const filled = table.filter(
      ({ cells }) => !/^\s*$/.test(cells[index]!) && !BARE_WORD.test(cells[index]!),
    );
    const body = isQuoted(filled[0]?.cells[index] ?? "") ? filled : filled.slice(1);
    const [example] = body;
    if (example !== undefined && body.every(({ cells }) => isQuoted(cells[index]!)))
      return { line: example.line, column: index + 1, value: example.cells[index]! };
  }
  return undefined;
}

function isQuoted(cell: string): boolean {
  return cell.length > 1 && cell.startsWith("'") && cell.endsWith("'");
}

/** Titles and remarks fill less than half of the cells. */
function isFull(cells: readonly string[], width: number): boolean {
  const filled = cells.filter((cell) => cell.trim() !== "").length;
  return filled * 2 >= width;
}

/** The beginning of a CSV's content, decoded. */
export interface CsvSample {
  readonly file: string;
  /** UTF-8; if the sample is not the whole content, the last row may be cut off. */
  readonly bytes: Buffer;
  /** True if the sample is the whole content. */
  readonly isWhole: boolean;
  /** Physical lines at the top that are not rows. */
  readonly skipLines: number;
  readonly skipFooter: number;
  readonly comment: string;
  readonly maxRowBytes: number;
  /** See {@link Dialect.isSheet}. */
  readonly isSheet?: boolean;
}

/** A row of the sample. */
export interface SampleRow {
  readonly line: number;
  /** Number of cells. */
  readonly width: number;
  /** Number of cells that hold more than spaces. */
  readonly filled: number;
  readonly cells: readonly string[];
  /** One of them; empty behind the last one. */
  readonly cell: (at: number) => string;
}

/** How a sample reads in one dialect. */
export interface SampleTable<Row = SampleRow> {
  readonly rows: readonly Row[];
  /** Rows that cannot be read. */
  readonly problems: readonly RowProblem[];
}

/** The rows of the sample exactly as they will be read later. */
export function readSample(
  sample: CsvSample,
  marks: Marks,
  skipLines = sample.skipLines,
): SampleTable<CsvRow> {
  const scanned = scan(sample, marks, { skipLines });
  const rows = sample.isWhole ? withoutFooter(scanned, sample.skipFooter) : scanned.rows;
  return { rows, problems: scanned.unreadable };
}

/**
 * The first rows of the sample with their cells as written, including quotes: a cell that begins with a quote was
 * protected by the program that wrote it.
 */
function scanSample(sample: CsvSample, marks: Marks, maxRows: number): SampleTable {
  const scanned = scan(sample, marks, { maxRows });
  const isComplete = scanned.rows.length + scanned.unreadable.length < maxRows && sample.isWhole;
  const rows = isComplete ? withoutFooter(scanned, sample.skipFooter) : scanned.rows;
  const blank = `${marks.quote}${marks.quote}`;
  const cellsOf = ({ sources }: CsvRow): string[] => sources.map((cell) => (cell === blank ? "" : cell));
  return { rows: rows.map((row) => new WrittenRow(row.line, cellsOf(row))), problems: scanned.unreadable };
}

/** A row with its cells as written. */
class WrittenRow implements SampleRow {
  readonly line: number;
  readonly cells: readonly string[];

  constructor(line: number, cells: readonly string[]) {
    this.line = line;
    this.cells = cells;
  }

  get width(): number {
    return this.cells.length;
  }

  get filled(): number {
    return countFilled(this.cells);
  }

  cell(at: number): string {
    return this.cells[at] ?? "";
  }
}

/** The rows of a sample, and those that cannot be read. */
interface FoundRows {
  readonly rows: readonly CsvRow[];
  readonly unreadable: readonly UnreadableRow[];
}

function toFound({ rows, unreadable }: ScannedRows): FoundRows {
  return { rows: [...rows], unreadable };
}

function scan(
  { bytes, isWhole, skipLines, comment, maxRowBytes, isSheet = false }: CsvSample,
  marks: Marks,
  options: { readonly skipLines?: number; readonly maxRows?: number },
): FoundRows {
  const scanner = new RowScanner({ ...marks, comment, isSheet }, { maxRowBytes, skipLines, ...options });
  const { rows, unreadable } = toFound(scanner.push(bytes));
  if (!isWhole) {
    if (rows.length + unreadable.length > 0) return { rows, unreadable };
    return { rows, unreadable: [{ ...scanner.describeRest(bytes.length), start: 0, end: bytes.length }] };
  }
  const last = toFound(scanner.end());
  return { rows: [...rows, ...last.rows], unreadable: [...unreadable, ...last.unreadable] };
}

/** As when the rows are read, blank rows do not count and unreadable ones do. */
function withoutFooter({ rows, unreadable }: FoundRows, count: number): readonly CsvRow[] {
  if (count === 0) return rows;
  const held = [...rows.filter(({ filled }) => filled > 0), ...unreadable].map(({ start }) => start);
  const footer = held.sort((left, right) => left - right).at(-count) ?? 0;
  return rows.filter(({ start }) => start < footer);
}

/**
 * True for a number, an amount, a date or a time: it begins with its digits at the latest, and has at least as many
 * digits as letters.
 */
export function isNumericLike(cell: string): boolean {
  let digits = 0;
  let letters = 0;
  for (const character of cell) {
    if (character >= "0" && character <= "9") {
      digits += 1;
    } else if (isLetter(character)) {
      if (digits === 0) return false;
      letters += 1;
    }
  }
  return digits > 0 && digits >= letters;
}

/** Of ASCII it is told without a regular expression: whole columns of a sample are asked about. */
function isLetter(character: string): boolean {
  if (character > "\u007f") return /\p{L}/u.test(character);
  return (character >= "a" && character <= "z") || (character >= "A" && character <= "Z");
}

const SPAN = /^(?:[<>≤≥+] ?)?(\d{1,4})(?: ?(?:[-–]|à|to|bis) ?(\d{1,4}))? ?(?:\+|j|jours|d|days|t|tage)?$/iu;

/**
 * Names of columns such as `1 - 30`, `31 - 60` and `> 60`: spans of days, if one begins where another ends. Ends are looked up: a row
 * may have half a million numbers.
 */
export function findSpans(names: readonly string[]): readonly string[] {
  const spans = names.map((name) => SPAN.exec(name)).filter((span) => span !== null);
  const ends = new Set(spans.map(([, start, end]) => (Number(end) > Number(start) ? Number(end) : -1)));
  const isNext = spans.some(([, start]) => ends.has(Number(start)) || ends.has(Number(start) - 1));
  return isNext ? spans.map(([name]) => name) : [];
}

/** True for a cell that contains a digit. */
export function holdsDigit(cell: string): boolean {
  return /\d/.test(cell);
}

/** True for a date in digits, with or without a time. */
export function isDateLike(cell: string): boolean {
  return /^\W*(?:\d{1,2}([./-])\d{1,2}\1\d{2,4}|\d{4}([./-])\d{1,2}\2\d{1,2})(?!\d)/.test(cell);
}

/** Number of cells that hold more than spaces. */
export function countFilled(cells: readonly string[]): number {
  let filled = 0;
  for (const cell of cells) if (cell.trim() !== "") filled++;
  return filled;
}

/** True for a line that separates the header from the rows: nothing but dashes and similar characters. */
export function isRule(cells: readonly string[]): boolean {
  const text = cells.join("").trim();
  return text.length > 1 && /^[-=_+|\s]+$/.test(text) && /[-=_]/.test(text);
}
