import type { RowProblem, UnreadableRow } from "../../model/rows.ts";
import type { SpanRow } from "../rows.ts";
import { RowScanner } from "./row-scanner.ts";
import type { Marks } from "./scan-row.ts";

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
  /** See {@link Dialect.sheetWidth}. */
  readonly sheetWidth?: number;
}

/** A row of the sample, with its cells as text. */
export interface SampleRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** Number of cells that hold more than spaces. */
  readonly filled: number;
  readonly row: SpanRow;
}

const LF = 10;
const CR = 13;
/** Fewer lines are too little evidence. */
const LEAST_LINES = 10;
/** A short line of a wide sheet has many cells. */
const MOST_CELLS = 262_144;

/** The first `most` bytes up to a line end; more where lines are long. */
export function headOf(sample: CsvSample, most: number): CsvSample {
  const { bytes, skipLines, sheetWidth = 0 } = sample;
  const mostLines = skipLines + Math.max(LEAST_LINES, MOST_CELLS / sheetWidth);
  let lines = 0;
  let end = 0;
  for (let at = 0; at < Math.min(most, bytes.length) && lines < mostLines; at++) {
    if (bytes[at] !== LF && bytes[at] !== CR) continue;
    if (bytes[at] === CR && bytes[at + 1] === LF) at++;
    lines++;
    end = at + 1;
  }
  if (bytes.length <= most && lines < mostLines) return sample;
  return lines < LEAST_LINES + skipLines
    ? headOf(sample, 4 * most)
    : { ...sample, bytes: bytes.subarray(0, end), isWhole: false };
}

/** Where a physical line begins; the end of the bytes if there are fewer lines. */
export function startOfLine(bytes: Buffer, line: number): number {
  let at = 0;
  for (let now = 1; now < line && at < bytes.length; at++)
    if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) now++;
  return at;
}

/** The rows of the sample exactly as they will be read later, and those that cannot be read. */
export function readSample(
  { bytes, isWhole, skipFooter, comment, maxRowBytes, sheetWidth = 0 }: CsvSample,
  marks: Marks,
  skipLines: number,
): { readonly rows: readonly SampleRow[]; readonly problems: readonly RowProblem[] } {
  // Each line of a sheet is a row, even if its cells hold line ends.
  const [firstLine, start] = sheetWidth > 0 ? [1, 0] : [skipLines + 1, startOfLine(bytes, skipLines + 1)];
  const scanner = new RowScanner({ ...marks, comment, sheetWidth }, { maxRowBytes, firstLine, start });
  const found = [scanner.push(bytes.subarray(start)), ...(isWhole ? [scanner.end()] : [])];
  const unreadable = found.flatMap((one) => one.unreadable);
  const all = found
    .flatMap(({ rows }) => Array.from(rows, toSampleRow))
    .filter(({ line }) => line > skipLines);
  if (all.length + unreadable.length === 0 && !isWhole)
    return { rows: [], problems: [scanner.describeRest(bytes.length)] };
  const rows = isWhole && skipFooter > 0 ? withoutFooter(all, unreadable, skipFooter) : all;
  return { rows, problems: unreadable };
}

function toSampleRow(row: SpanRow): SampleRow {
  const { line, texts: cells } = row;
  return { line, cells, filled: cells.filter((cell) => cell.trim() !== "").length, row };
}

/** As when the rows are read, blank rows do not count and unreadable ones do. */
function withoutFooter(
  rows: readonly SampleRow[],
  unreadable: readonly UnreadableRow[],
  count: number,
): readonly SampleRow[] {
  const starts = [
    ...rows.filter(({ filled }) => filled > 0).map(({ row }) => row.start),
    ...unreadable.map(({ start }) => start),
  ];
  const footer = starts.sort((left, right) => left - right).at(-count) ?? 0;
  return rows.filter(({ row }) => row.start < footer);
}

/** The number of cells that most rows have; of two equally frequent numbers, the larger. */
export function usualWidth(widths: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  const [usual] = [...counts].sort(([a, rowsOfA], [b, rowsOfB]) => rowsOfB - rowsOfA || b - a);
  return usual?.[0] ?? 0;
}

/** Cells up to the last one that is not empty. */
export function filledWidth(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== "") + 1;
}
