import { NO_TEXT, type RowProblem, type UnreadableRow } from "../../model/rows.ts";
import { Rows } from "../rows.ts";
import { CsvCells, type CsvRows } from "./csv-cells.ts";
import {
  type CsvDialect,
  type CsvGrammar,
  isComment,
  lineEnd,
  type QuoteFault,
  RowScan,
  toGrammar,
} from "./scan-row.ts";

const LF = 10;
const CR = 13;
const TAB = 9;
/** A line that holds nothing else is no row. */
const BLANKS: ReadonlySet<number> = new Set(Buffer.from(" \t\r\n"));
const NO_BYTES: Buffer = Buffer.alloc(0);
/** Bytes per cell, until the first rows are read. */
const USUAL_CELL_BYTES = 8;
/** Room is made for so many cells beforehand. */
const MOST_EXPECTED = 131_072;

/** Rows in file order, and those between them that cannot be read; blank lines and comments are left out of both. */
export interface ScannedRows {
  readonly rows: CsvRows;
  readonly unreadable: UnreadableRow[];
}

/** How rows are scanned. */
interface ScanOptions {
  readonly maxRowBytes: number;
  /** The number of the first line, and of the bytes before it. */
  readonly firstLine?: number;
  readonly start?: number;
}

/**
 * Scans UTF-8 bytes, in chunks cut anywhere, for rows. Holds at most one chunk and twice the size of one row; a chunk may be
 * overwritten once the rows that end in it are known.
 */
export class RowScanner {
  readonly #grammar: CsvGrammar;
  readonly #maxRowBytes: number;
  readonly #scan: RowScan;
  /** The end of the bytes that were scanned, and copies of the chunks that continue it. */
  #waiting: Buffer[] = [];
  /** So many bytes are scanned together. */
  #wanted = 0;
  #cells: CsvCells;
  #cellBytes = USUAL_CELL_BYTES;
  /** The number of the next cell in `#cells`. */
  #nextCell = 0;
  /** Number of bytes of the content before those of `#cells`. */
  #base: number;
  /** Where the next row begins in those bytes, and its line number. */
  #at = 0;
  #line: number;
  /** Set inside a line that is being left out up to its end. */
  #dropping: { readonly problem: RowProblem | undefined; readonly start: number } | undefined;
  #found: ScannedRows;

  constructor(dialect: CsvDialect, options: ScanOptions) {
    const { maxRowBytes, firstLine = 1, start = 0 } = options;
    this.#grammar = toGrammar(dialect);
    this.#maxRowBytes = maxRowBytes;
    this.#line = firstLine;
    this.#base = start;
    this.#cells = new CsvCells(NO_BYTES, this.#grammar);
    this.#found = { rows: new Rows(this.#cells, this.#base), unreadable: [] };
    this.#scan = new RowScan(this.#grammar, this.#cells);
  }

  /** The rows that end in the content so far. */
  push(chunk: Buffer): ScannedRows {
    const bytes = this.#waiting.reduce((sum, { length }) => sum + length, chunk.length);
    if (bytes >= this.#wanted) return this.#scanAll(chunk, false);
    this.#waiting.push(Buffer.from(chunk));
    return { rows: new Rows(new CsvCells(NO_BYTES, this.#grammar), this.#base), unreadable: [] };
  }

  /** The rows that are left; the last may lack a line end. */
  end(): ScannedRows {
    return this.#scanAll(NO_BYTES, true);
  }

  /** The row or line in which the content so far ends, and why it is not complete. */
  describeRest(contentBytes: number): RowProblem {
    const isUnclosed = this.#dropping === undefined && this.#scan.isQuoted;
    return (
      this.#dropping?.problem ??
      (isUnclosed ? this.#describe("cut") : describeUnended(this.#line, contentBytes))
    );
  }

  /** Scans the waiting bytes and a further chunk. */
  #scanAll(chunk: Buffer, isLast: boolean): ScannedRows {
    const bytes = Buffer.concat([...this.#waiting, chunk]);
    const expected = Math.min(Math.ceil((1.1 * bytes.length) / this.#cellBytes), MOST_EXPECTED);
    this.#cells = new CsvCells(bytes, this.#grammar, expected);
    this.#base += this.#at;
    this.#at = 0;
    this.#nextCell = 0;
    this.#scan.moveTo(this.#cells, isLast);
    this.#found = { rows: new Rows(this.#cells, this.#base), unreadable: [] };
    while (this.#at < bytes.length && this.#scanNext(isLast));
    if (isLast && this.#dropping !== undefined) this.#endDropping(this.#at);
    this.#cells.count = this.#nextCell;
    if (this.#nextCell > 0) this.#cellBytes = this.#at / this.#nextCell;
    const rest = Buffer.from(bytes.subarray(this.#at));
    this.#waiting = [rest];
    // The beginning of a long row is scanned again only after twice as many bytes have come, or more than a row may have.
    this.#wanted = Math.min(2 * rest.length, this.#maxRowBytes + 1);
    return this.#found;
  }

  /** Scans the next row or line; false if it continues after the end of the bytes. */
  #scanNext(isLast: boolean): boolean {
    const { bytes } = this.#cells;
    const at = this.#at;
    if (this.#dropping !== undefined) return this.#dropLine(at, isLast);
    if (isComment(bytes, at, this.#grammar)) return this.#drop(at, undefined, isLast);
    const limit = Math.min(bytes.length, at + this.#maxRowBytes);
    const scan = this.#scan;
    const result = scan.scan(at, limit, this.#nextCell);
    if (result === "row") {
      if (!this.#isBlank(at, scan)) this.#addRow(at);
      this.#line += scan.lines;
      this.#at = scan.end;
      return true;
    }
    if (result === "cut" && bytes.length - at <= this.#maxRowBytes) return false;
    const problem = this.#describe(result);
    this.#line += scan.lines;
    return this.#drop(at, problem, isLast);
  }

  #addRow(at: number): void {
    if (this.#grammar.sheetWidth > 0) this.#completeRow(this.#scan);
    const { end, width } = this.#scan;
    this.#found.rows.add(this.#line, at, end, this.#nextCell, width);
    this.#nextCell += width;
  }

  /**
   * A row of a sheet is one line, and as wide as the widest. A cell without quotes is a number, a truth value or a fault.
   */
  #completeRow(scan: RowScan): void {
    const { sheetWidth } = this.#grammar;
    this.#cells.reserve(this.#nextCell + sheetWidth);
    const { starts, ends, marks } = this.#cells;
    for (let cell = this.#nextCell; cell < this.#nextCell + scan.width; cell++)
      if (marks[cell] === 0 && starts[cell] !== ends[cell]) marks[cell] = NO_TEXT;
    for (; scan.width < sheetWidth; scan.width++) {
      const cell = this.#nextCell + scan.width;
      starts[cell] = ends[cell] = scan.at;
      marks[cell] = 0;
    }
    scan.lines = 1;
  }

  #describe(result: "cut" | QuoteFault): RowProblem {
    const { lines, isQuoted } = this.#scan;
    const line = this.#line;
    const fault = result === "cut" && isQuoted ? "unclosed-quote" : result;
    return fault === "cut"
      ? describeTooLong(line, this.#maxRowBytes)
      : describeQuoteFault(fault, line, line + lines, this.#grammar.quote);
  }

  /** Leaves out the text from `start` to the end of the line in which the scan found a fault. */
  #drop(start: number, problem: RowProblem | undefined, isLast: boolean): boolean {
    this.#dropping = { problem, start: this.#base + start };
    return this.#dropLine(problem === undefined ? start : this.#scan.at, isLast);
  }

  /** Leaves out the line that contains `from`, up to its end even if that has not been read yet. */
  #dropLine(from: number, isLast: boolean): boolean {
    const { bytes } = this.#cells;
    let at = from;
    while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1;
    const end = at < bytes.length ? lineEnd(bytes, at, isLast) : -1;
    if (end === -1) {
      // A carriage return at the end of a chunk may be the first half of a line end.
      this.#at = at;
      return false;
    }
    this.#line += 1;
    this.#at = end;
    this.#endDropping(end);
    return true;
  }

  #endDropping(end: number): void {
    const { problem, start } = this.#dropping!;
    this.#dropping = undefined;
    if (problem === undefined) return;
    this.#found.unreadable.push({ ...problem, start, end: this.#base + end });
  }

  /** A line of tabs is a row where a tab is the delimiter. */
  #isBlank(from: number, { width, end }: RowScan): boolean {
    const { bytes } = this.#cells;
    let at = from;
    while (at < end && BLANKS.has(bytes[at]!)) at += 1;
    return at === end && (width === 1 || this.#grammar.delimiter[0] !== TAB);
  }
}

/** A row whose quotes cannot be read with certainty; `line` is the one where the quote opens. */
function describeQuoteFault(fault: QuoteFault, rowLine: number, line: number, quote: number): RowProblem {
  const inside = rowLine === line ? "" : ` (the row begins at line ${rowLine})`;
  const [reason, hint] = tellFault(fault, String.fromCharCode(quote));
  return { line, reason: reason + inside, hint };
}

function tellFault(fault: QuoteFault, mark: string): readonly [reason: string, hint: string] {
  switch (fault) {
    case "odd-quotes":
      return [
        `two or more cells hold an odd number of ${mark}, so a delimiter between them may be text`,
        `write such cells in quotes, with every ${mark} inside doubled, or pin --quote none`,
      ];
    case "doubled-quotes":
      return [
        `a cell holds ${mark}${mark} and does not begin with ${mark}, so its quotes may be lost`,
        `write the cell in quotes, or pin --quote none if ${mark} is text`,
      ];
    case "text-after-quote":
      return [`text follows the ${mark} that closes a cell`, `double every ${mark} inside a quoted cell`];
    case "unclosed-quote":
      return [
        `a ${mark} opens a cell that is never closed`,
        `close the cell with ${mark}, or pin --quote none if ${mark} is no quote; "maxRowBytes" in the table's section of the config reads longer cells`,
      ];
    case "blank-before-quote":
      return [
        `there is a blank before the ${mark} that begins a cell, so it may be a quote or text`,
        `delete the blank, or make it part of the delimiter: --delimiter ', '`,
      ];
    case "backslash":
      return [
        `a backslash in a quoted cell is followed by neither ${mark} nor another backslash`,
        `double the backslash, or write "escape": ${JSON.stringify(mark)} into the table's section of the config if it is text`,
      ];
  }
}

/** A row that is longer than the limit. */
function describeTooLong(line: number, maxRowBytes: number): RowProblem {
  return {
    line,
    reason: `the row is longer than ${maxRowBytes.toLocaleString("en")} bytes`,
    hint: 'if the file is meant to be like this: "maxRowBytes" in the table\'s section of the config raises the limit',
  };
}

/** A line that is longer than the part of the file by which it is judged. */
function describeUnended(line: number, judgedBytes: number): RowProblem {
  return {
    line,
    reason: `the line does not end in the first ${judgedBytes.toLocaleString("en")} bytes, by which a file is judged`,
    hint: "check that the file is a CSV: its header has to end there",
  };
}
