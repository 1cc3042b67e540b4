import { showCount } from "../../model/counts.ts";
import type { RecPushError } from "../../model/failure.ts";
import type { Dialect } from "../../model/reading.ts";
import { ESCAPED, QUOTED, type RowProblem, type UnreadableRow } from "../../model/rows.ts";
import { cellName, quoteWord } from "../../model/text.ts";
import { inputError } from "../input-error.ts";
import type { SpanRow } from "../rows.ts";
import { type CsvChunk, type CsvRows, findCutCell, mayCutEntities } from "./csv-cells.ts";
import { RowScanner, type ScannedRows } from "./row-scanner.ts";
import type { CsvPlaces } from "./settle-csv.ts";

/** In a larger chunk there may be so many rows that their problems fill the memory, and a signal would wait for all of them. */
const BYTES_AT_ONCE = 65_536;
const MOST_CELLS = 65_536;

/** How the rows of one CSV are read, as settled beforehand. */
interface CsvLayout extends CsvPlaces {
  readonly file: string;
  readonly dialect: Dialect;
  readonly columns: readonly string[];
  readonly skipFooter: number;
  /** True if the cells that a row lacks at its end are empty. */
  readonly shortRows: boolean;
  readonly maxRowBytes: number;
}

/** Reads decoded content (UTF-8 without byte order mark). Throws an input error where another file begins. */
export async function* readCsvRows(
  content: AsyncIterable<Buffer>,
  layout: CsvLayout,
): AsyncGenerator<CsvChunk> {
  const chunks = fitRows(content, layout);
  // A footer of one cell does not belong to the row above it, so it is dropped first.
  const body = layout.skipFooter > 0 ? dropFooter(chunks, layout.skipFooter, layout.file) : chunks;
  const { headerLine } = layout.dialect;
  const header =
    headerLine === undefined ? undefined : new RepeatedHeader(layout.file, headerLine, layout.columns);
  // A header next to a line of one cell, such as a page number, does not belong to that line.
  yield* withholdTornRows(header === undefined ? body : passOverHeaders(body, header));
}

async function* passOverHeaders(
  chunks: AsyncIterable<CsvChunk>,
  header: RepeatedHeader,
): AsyncGenerator<CsvChunk> {
  for await (const chunk of chunks) {
    const { rows } = chunk;
    const repeated = new Set(header.find(rows));
    const headers = Array.from(repeated, (index) => rows.line(index));
    if (headers.length > 0) rows.keep((index) => !repeated.has(index));
    yield headers.length > 0 ? { ...chunk, headers } : chunk;
  }
}

/** The rows that have the width of the table. */
async function* fitRows(content: AsyncIterable<Buffer>, layout: CsvLayout): AsyncGenerator<CsvChunk> {
  const { columns } = layout;
  for await (const scanned of scanAll(content, layout)) {
    const { rows, unreadable } = fit(scanned, layout);
    if (rows.length + unreadable.length > 0) yield { columns, rows, unreadable };
  }
}

async function* scanAll(
  content: AsyncIterable<Buffer>,
  { dialect, maxRowBytes, dataStart: start }: CsvLayout,
): AsyncGenerator<ScannedRows> {
  const scanner = new RowScanner(dialect, { maxRowBytes, firstLine: dialect.dataLine, start });
  // In a wide sheet a line of two bytes may be a row of many cells.
  const bytes = Math.min(BYTES_AT_ONCE, Math.ceil((2 * MOST_CELLS) / (dialect.sheetWidth ?? 1)));
  let above = start;
  for await (const piece of content) {
    for (let from = above; from < piece.length; from += bytes)
      yield scanner.push(piece.subarray(from, from + bytes));
    above = Math.max(0, above - piece.length);
  }
  yield scanner.end();
}

function fit(scanned: ScannedRows, layout: CsvLayout): ScannedRows {
  const { columns, surplus } = layout;
  const { rows, unreadable } = scanned;
  const width = columns.length + surplus;
  const mayCut = mayCutEntities(layout.dialect, rows.cells.bytes);
  const misfits: Misfit[] = [];
  rows.keep((index) => {
    const cut = mayCut ? findCutCell(rows.cells, rows.firstCell(index), rows.width(index)) : -1;
    if (surplus === 0 && cut === -1 && rows.width(index) === width) return true;
    const row = rows.row(index);
    const isShort = layout.shortRows && row.width < width && !mayBeTorn(row, width) && hasLineEnd(row);
    const isFitting = row.width === width || row.spans.isSheet || isShort;
    const problem =
      cut !== -1 ? describeCut(row, cut) : isFitting ? findSurplus(row, layout) : describeMisfit(row, layout);
    if (problem === undefined) return true;
    if (mayBeTorn(row, width)) problem.isFragment = true;
    misfits.push(problem);
    return false;
  });
  if (surplus > 0) rows.narrow(columns.length);
  return misfits.length === 0 ? scanned : { rows, unreadable: inFileOrder([...unreadable, ...misfits]) };
}

/** False for the last row of a file that ends without a line end: a short one may have been cut. */
function hasLineEnd({ start, end, spans: { starts, ends, marks }, firstCell, width }: SpanRow): boolean {
  const last = firstCell + width - 1;
  const quotes = [firstCell, last].filter((cell) => (marks[cell]! & QUOTED) !== 0).length;
  return end - start > ends[last]! - starts[firstCell]! + quotes;
}

function inFileOrder(rows: UnreadableRow[]): UnreadableRow[] {
  return rows.sort((left, right) => left.start - right.start);
}

/** A row whose width differs from the table's, or that holds a cell at fault. */
interface Misfit extends UnreadableRow {
  /** Set if {@link mayBeTorn} says so. */
  isFragment?: true;
}

function misfit(row: SpanRow, why: Omit<RowProblem, "line">): Misfit {
  return { line: row.line, start: row.start, end: row.end, ...why };
}

/** The first filled cell after the columns. */
function findSurplus(row: SpanRow, { columns, surplus }: CsvLayout): Misfit | undefined {
  const { spans, firstCell, line } = row;
  for (let index = columns.length; index < Math.min(row.width, columns.length + surplus); index++) {
    const cell = firstCell + index;
    if (spans.starts[cell] === spans.ends[cell]) continue;
    return misfit(row, {
      column: index + 1,
      ...(spans.isSheet ? { cell: cellName(index + 1, line) } : {}),
      value: spans.text(cell),
      reason: `the cell is in column ${index + 1}, which has no header and is empty in the rows before`,
      hint: "give the column a name in the header, or empty the cell",
    });
  }
  return undefined;
}

function describeCut(row: SpanRow, index: number): Misfit {
  return misfit(row, {
    column: index + 1,
    value: row.texts[index]!,
    reason: "it ends in an HTML entity without its ;, so the ; behind it may be part of the text",
    hint: "write the cell whose text holds the ; in quotes",
  });
}

function describeMisfit(row: SpanRow, { columns, surplus, dialect }: CsvLayout): Misfit {
  const { width, spans } = row;
  const expected =
    dialect.headerLine === undefined || surplus > 0
      ? `the other rows have ${columns.length + surplus}`
      : `the header has ${columns.length}`;
  const comment = width === 1 && !spans.isSheet ? commentOption(row.texts[0]!) : undefined;
  return misfit(row, {
    reason: `the row has ${showCount(width, "cell")}, ${expected}`,
    hint:
      width > columns.length
        ? "a cell that holds the delimiter must be in quotes"
        : (comment ?? "complete the row, or leave out lines at the end with --skip-footer N"),
  });
}

/** A possible row of the footer: a row that is not blank, or an unreadable one. */
interface FooterRow {
  readonly start: number;
  readonly row?: SpanRow;
}

function footerRows({ rows, unreadable }: CsvChunk): readonly FooterRow[] {
  const filled = [...rows].filter(isFilled).map((row) => ({ start: row.start, row }));
  return [...filled, ...unreadable];
}

/**
 * Leaves out the last `count` rows that are not blank, read or unreadable, and the blank ones among them; holds back as
 * many chunks as contain them. Throws an input error if one of them is as full as a row above.
 */
async function* dropFooter(
  chunks: AsyncIterable<CsvChunk>,
  count: number,
  file: string,
): AsyncGenerator<CsvChunk> {
  const held: { readonly chunk: CsvChunk; readonly rows: readonly FooterRow[] }[] = [];
  let rows = 0;
  /** The filled cells of the sparsest row above the footer. */
  let least = Infinity;
  const pass = (above: readonly FooterRow[]): void => {
    for (const { row } of above) least = Math.min(least, row?.filled ?? Infinity);
  };
  for await (const chunk of chunks) {
    held.push({ chunk, rows: footerRows(chunk) });
    rows += held.at(-1)!.rows.length;
    while (rows - held[0]!.rows.length >= count) {
      const above = held.shift()!;
      rows -= above.rows.length;
      pass(above.rows);
      yield above.chunk;
    }
  }
  const last = held.flatMap((one) => one.rows).sort((left, right) => left.start - right.start);
  pass(last.slice(0, -count));
  const footer = last.slice(-count);
  const full = footer.find(({ row }) => row !== undefined && row.width > 1 && row.filled >= least)?.row;
  if (full !== undefined) throw fullFooter(full, count, file);
  const from = footer[0]?.start ?? 0;
  for (const { chunk } of held) {
    chunk.rows.keep((index) => chunk.rows.start(index) < from);
    yield { ...chunk, unreadable: chunk.unreadable.filter(({ start }) => start < from) };
  }
}

function fullFooter({ line, filled }: SpanRow, count: number, file: string): Error {
  return inputError(
    { file, line },
    "full-footer",
    `--skip-footer ${count} would leave out this row: it has ${showCount(filled, "filled cell")}, as many as a row above`,
    {
      hint: "give the number of lines at the end that are no rows; --totals skip leaves out rows that look like totals",
    },
  );
}

function isFilled(row: SpanRow): boolean {
  return row.filled > 0;
}

/** The beginnings of lines of one cell that programs put between rows: a sign of a comment, or a page's number. */
const MARK = /^(?:#+|\/\/|%+|\*+)(?=\s*[^\d\s])|^(?:page|seite|p[aá]gina|pagina) (?=\d+(?:\s|\/|$))/i;

/** The option that leaves a line of one cell out, with all that begin like it; `undefined` if it may belong to a row. */
function commentOption(line: string): string | undefined {
  const mark = MARK.exec(line)?.[0];
  return mark === undefined
    ? undefined
    : `--comment ${quoteWord(mark)} leaves out the lines that begin like this one`;
}

/**
 * Whether a row may be the rest of a neighbour's first or last cell: a single cell in a wider table, or fewer cells
 * than the table has and no digit in any, which is how text that contains the delimiter is cut.
 */
function mayBeTorn({ width, texts }: SpanRow, tableWidth: number): boolean {
  if (width >= tableWidth) return false;
  return width === 1 || !texts.some((cell) => /\d/.test(cell));
}

/**
 * Turns rows that an unquoted line end may have torn in two into problems: those next to a row that may be the rest.
 * Holds one chunk back, because the next may begin with the rest of its last row.
 */
async function* withholdTornRows(chunks: AsyncIterable<CsvChunk>): AsyncGenerator<CsvChunk> {
  let held: CsvChunk | undefined;
  /** The fragments in the held chunk, and the last one before it. */
  let fragments: readonly UnreadableRow[] = [];
  let hasRows = false;
  for await (const chunk of chunks) {
    hasRows ||= chunk.rows.length > 0;
    const found = chunk.unreadable.filter((row: Misfit) => row.isFragment === true);
    if (held !== undefined) yield withhold(held, [...fragments, ...found.slice(0, 1)]);
    held = chunk;
    fragments = [...fragments.slice(-1), ...found];
  }
  if (held !== undefined) yield withhold(hasRows ? nameFooter(held) : held, fragments);
}

/**
 * Names the option that leaves out the lines of one cell at the end of the last chunk, such as remarks and row counts.
 * Without any row above them they are no footer.
 */
function nameFooter(chunk: CsvChunk): CsvChunk {
  const body = [...chunk.rows].findLast(isFilled)?.start ?? -1;
  const last = chunk.unreadable.findLast((row: Misfit) => row.isFragment !== true)?.start ?? -1;
  const isFooter = ({ start }: UnreadableRow): boolean => start > Math.max(body, last);
  const count = chunk.unreadable.filter(isFooter).length;
  if (count === 0) return chunk;
  const lines = count === 1 ? "the last line" : `the last ${count} lines`;
  const hint = `--skip-footer ${count} leaves out ${lines}; else complete the row`;
  return {
    ...chunk,
    unreadable: chunk.unreadable.map((row) => (isFooter(row) && !isMarked(row) ? { ...row, hint } : row)),
  };
}

function isMarked({ hint }: UnreadableRow): boolean {
  return hint?.startsWith("--comment") === true;
}

function withhold(chunk: CsvChunk, fragments: readonly UnreadableRow[]): CsvChunk {
  if (fragments.length === 0 || chunk.rows.length === 0) return chunk;
  const starts = new Map(fragments.map((fragment) => [fragment.start, fragment]));
  const ends = new Map(fragments.map((fragment) => [fragment.end, fragment]));
  const { rows } = chunk;
  const unreadable = [...chunk.unreadable];
  rows.keep((index) => {
    const row = rows.row(index);
    // A blank row does not belong to any other.
    const above = row.filled > 0 ? ends.get(row.start) : undefined;
    const below = row.filled > 0 ? starts.get(row.end) : undefined;
    const fragment = above ?? below;
    if (fragment !== undefined) unreadable.push(torn(row, above === undefined ? "below" : "above", fragment));
    return fragment === undefined;
  });
  return { ...chunk, unreadable: inFileOrder(unreadable) };
}

function torn(row: SpanRow, where: "above" | "below", fragment: UnreadableRow): UnreadableRow {
  const join = `join the two lines, or separate them with a blank line if they do not belong together${where === "below" ? "; --skip-footer N leaves out lines at the end" : ""}`;
  return misfit(row, {
    reason: `the line ${where} has fewer cells than a row, so it may be the rest of this row after an unquoted line end`,
    hint: isMarked(fragment) ? fragment.hint!.replace("this one", `the line ${where}`) : join,
  });
}

const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
/** The first byte of the letters from U+00C0 to U+00FF, which take two bytes in either case. */
const LATIN_LETTERS = 0xc3;

/** The header of a table, which may be repeated in it. */
class RepeatedHeader {
  readonly #file: string;
  readonly #line: number;
  readonly #names: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #outlines: ReadonlySet<number>;

  constructor(file: string, line: number, columns: readonly string[]) {
    this.#file = file;
    this.#line = line;
    this.#names = columns.map(plainName);
    this.#known = new Set(this.#names.filter((name) => name !== ""));
    const bytes = columns.map((column) => Buffer.from(column.trim())).filter(({ length }) => length > 0);
    this.#outlines = new Set(bytes.map((name) => outline(name, 0, name.length)));
  }

  /**
   * The numbers of the rows that repeat the header, even in capitals or after a byte order mark. Throws an input error where
   * another file begins: at any other row after such a mark, and at one that holds the same names in another order.
   */
  find(rows: CsvRows): readonly number[] {
    const repeated: number[] = [];
    for (let index = 0; index < rows.length; index++)
      if (this.#mayRepeat(rows, index) && this.#isRepeated(rows.row(index))) repeated.push(index);
    return repeated;
  }

  /** False if the bytes of a row's first filled cell already show that it is no name, as for nearly all rows. */
  #mayRepeat(rows: CsvRows, index: number): boolean {
    const { bytes, starts, ends, marks } = rows.cells;
    const firstCell = rows.firstCell(index);
    for (let cell = firstCell; cell < firstCell + rows.width(index); cell++) {
      const start = starts[cell]!;
      let end = ends[cell]!;
      while (end > start && bytes[end - 1]! <= SPACE) end -= 1;
      // A header may have columns without a name.
      if (end === start) continue;
      const byte = bytes[start]!;
      // Spaces, quotes and non-ASCII characters other than Latin letters, such as a byte order mark, need a closer look.
      const isOdd = byte <= DOUBLE_QUOTE || (byte >= 0x80 && byte !== LATIN_LETTERS);
      return isOdd || (marks[cell]! & ESCAPED) !== 0 || this.#outlines.has(outline(bytes, start, end));
    }
    return false;
  }

  #isRepeated(row: SpanRow): boolean {
    const cells = row.texts.map(plainName);
    if (this.#names.every((name, column) => cells[column] === name)) return true;
    if (row.texts[0]?.startsWith("\ufeff") === true)
      throw this.#other(
        row,
        "begins with a byte order mark, as a file does: another file was appended to this one here",
        "split the file there, or delete the mark if the same table continues",
      );
    const filled = cells.filter((cell) => cell !== "");
    const names = new Set(filled.filter((cell) => this.#known.has(cell)));
    if (this.#known.has(filled[0] ?? "") && names.size > 1 && 2 * names.size > filled.length)
      throw this.#other(
        row,
        `is a header, but not the same as in line ${this.#line}: a second table begins`,
        "split the file there",
      );
    return false;
  }

  #other({ line }: SpanRow, what: string, hint: string): RecPushError {
    return inputError({ file: this.#file, line }, "second-table", `this line ${what}`, { hint });
  }
}

/** The length of a cell with its first and last character, in any case. */
function outline(bytes: Buffer, start: number, end: number): number {
  return ((end - start) << 16) | (fold(bytes[start]!) << 8) | fold(bytes[end - 1]!);
}

function fold(byte: number): number {
  return byte >= 0x80 ? 0x80 : byte | 0x20;
}

/** A header's cell as another page of the same export may write it. */
function plainName(cell: string): string {
  return cell
    .replace(/^\ufeff/, "")
    .trim()
    .replace(/^"(.*)"$/s, "$1")
    .toLowerCase();
}
