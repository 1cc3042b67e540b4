import type { RowProblem, UnreadableRow } from "../../model/row.ts";
import type { Marks } from "./csv-grammar.ts";
import type { CsvRow } from "./csv-row.ts";
import { countFilled } from "./csv-words.ts";
import { RowScanner, type ScannedRows } from "./row-scanner.ts";

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
export function scanSample(sample: CsvSample, marks: Marks, maxRows: number): SampleTable {
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
