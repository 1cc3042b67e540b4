import type { Dialect } from "../../model/reading.ts";
import type { RowProblem } from "../../model/row.ts";
import { createCsvSplitter } from "./csv-splitter.ts";
import { createCellParser } from "./parse-cells.ts";
import { createRowScan, scanRow, toDialectBytes } from "./scan-row.ts";

/** The beginning of a CSV's content, decoded. */
export interface CsvSample {
  readonly file: string;
  /** UTF-8; where it is not whole the last row may be cut. */
  readonly bytes: Buffer;
  /** True where the content ends with the sample. */
  readonly isWhole: boolean;
  /** Physical lines at the top that are no rows. */
  readonly skipLines: number;
  readonly skipFooter: number;
  readonly comment: string;
  readonly maxRowBytes: number;
}

/** A row of the sample. */
export interface SampleRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** How a sample reads in one dialect. */
export interface SampleTable {
  readonly rows: readonly SampleRow[];
  /** Rows that cannot be read. */
  readonly problems: readonly RowProblem[];
}

/** A way to separate and quote cells, to be tried. */
export type Marks = Pick<Dialect, "delimiter" | "quote" | "escape">;

/** The rows of the sample exactly as they will be read. */
export function readSample(sample: CsvSample, marks: Marks, skipLines = sample.skipLines): SampleTable {
  const splitter = createCsvSplitter({ ...marks, comment: sample.comment }, { ...sample, skipLines });
  const parseCells = createCellParser(marks);
  const rows: SampleRow[] = [];
  const problems: RowProblem[] = [];
  const first = splitter.push(sample.bytes);
  for (const { bytes, cells, lines, problems: found } of sample.isWhole ? [first, splitter.end()] : [first]) {
    for (const [index, row] of (cells ?? parseCells(bytes)).entries()) {
      rows.push({ line: lines[index] ?? 0, cells: row });
    }
    for (const problem of found) problems.push(problem);
  }
  return { rows: sample.isWhole ? withoutFooter(rows, sample.skipFooter) : rows, problems };
}

/**
 * The first rows of the sample with their cells as written, quotes included: a cell that begins with a quote was
 * protected by whoever wrote it.
 */
export function scanSample(sample: CsvSample, marks: Marks, maxRows: number): SampleTable {
  const bounds = { maxRowBytes: sample.maxRowBytes, skipLines: sample.skipLines, looksClosely: true };
  const splitter = createCsvSplitter({ ...marks, comment: sample.comment }, bounds);
  const first = splitter.push(sample.bytes);
  const dialect = toDialectBytes({ ...marks, comment: sample.comment });
  const scan = { ...createRowScan(), starts: [] as number[] };
  const rows: SampleRow[] = [];
  const problems: RowProblem[] = [];
  for (const { bytes, lines, problems: found } of sample.isWhole ? [first, splitter.end()] : [first]) {
    let at = 0;
    for (const line of lines) {
      if (rows.length === maxRows) break;
      scanRow(bytes, at, bytes.length, true, dialect, scan);
      rows.push({ line, cells: cutCells(bytes, scan.starts, scan.end, dialect.delimiter.length) });
      at = scan.end;
    }
    for (const problem of found) problems.push(problem);
  }
  const complete = rows.length < maxRows && sample.isWhole ? withoutFooter(rows, sample.skipFooter) : rows;
  const lastLine = rows.length < maxRows ? Infinity : (rows.at(-1)?.line ?? 0);
  return { rows: complete, problems: problems.filter(({ line }) => line <= lastLine) };
}

function cutCells(bytes: Buffer, starts: readonly number[], end: number, delimiterLength: number): string[] {
  return starts.map((start, index) => {
    const next = starts[index + 1];
    return next === undefined
      ? bytes.toString("utf8", start, end).replace(/\r?\n$|\r$/, "")
      : bytes.toString("utf8", start, next - delimiterLength);
  });
}

function withoutFooter(rows: readonly SampleRow[], count: number): readonly SampleRow[] {
  return count === 0 ? rows : rows.slice(0, -count);
}
