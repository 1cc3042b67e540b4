import type { RowProblem } from "../../model/row.ts";
import type { Marks } from "./csv-grammar.ts";
import type { CsvRow } from "./csv-row.ts";
import { RowScanner } from "./row-scanner.ts";

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
export interface SampleTable<Row = SampleRow> {
  readonly rows: readonly Row[];
  /** Rows that cannot be read. */
  readonly problems: readonly RowProblem[];
}

/** The rows of the sample exactly as they will be read. */
export function readSample(
  sample: CsvSample,
  marks: Marks,
  skipLines = sample.skipLines,
): SampleTable<CsvRow> {
  const { rows, problems } = scan(sample, marks, { skipLines });
  return { rows: sample.isWhole ? withoutFooter(rows, sample.skipFooter) : rows, problems };
}

/**
 * The first rows of the sample with their cells as written, quotes included: a cell that begins with a quote was
 * protected by whoever wrote it.
 */
export function scanSample(sample: CsvSample, marks: Marks, maxRows: number): SampleTable {
  const { rows, problems } = scan(sample, marks, { maxRows });
  const complete = rows.length < maxRows && sample.isWhole ? withoutFooter(rows, sample.skipFooter) : rows;
  return { rows: complete.map((row) => ({ line: row.line, cells: row.sources })), problems };
}

function scan(
  { bytes, isWhole, skipLines, comment, maxRowBytes }: CsvSample,
  marks: Marks,
  options: { readonly skipLines?: number; readonly maxRows?: number },
): SampleTable<CsvRow> {
  const scanner = new RowScanner({ ...marks, comment }, { maxRowBytes, skipLines, ...options });
  const first = scanner.push(bytes);
  if (!isWhole) {
    const { rows, unreadable } = first;
    return { rows, problems: rows.length + unreadable.length > 0 ? unreadable : [scanner.describeRest()] };
  }
  const last = scanner.end();
  return { rows: [...first.rows, ...last.rows], problems: [...first.unreadable, ...last.unreadable] };
}

function withoutFooter<Row>(rows: readonly Row[], count: number): readonly Row[] {
  return count === 0 ? rows : rows.slice(0, -count);
}
