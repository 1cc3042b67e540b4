import { cellName } from "../../model/cell-name.ts";
import type { Dialect } from "../../model/reading.ts";
import type { UnreadableRow } from "../../model/row.ts";
import type { Slice } from "../slice.ts";
import type { CsvRow } from "./csv-row.ts";
import type { CsvChunk, CsvRows } from "./csv-rows.ts";
import { findCutRows, mayCutEntities } from "./entity-seam.ts";
import { dropFooter } from "./drop-footer.ts";
import { RowScanner, type ScannedRows } from "./row-scanner.ts";
import { refuseGluedHeader, RepeatedHeader, SecondTableWatch } from "./second-table.ts";
import type { TellingColumns } from "./telling-columns.ts";
import { commentOption, mayBeTorn, withholdTornRows, type Misfit } from "./torn-rows.ts";

/** A chunk of more bytes may be so many rows that what is wrong with each fills the memory, and that no signal is heard. */
const BYTES_AT_ONCE = 65_536;

/** How the rows of one CSV are read, as settled beforehand. */
export interface CsvLayout {
  readonly file: string;
  readonly dialect: Dialect;
  readonly columns: readonly string[];
  /** Number of empty cells that every row has after its columns. */
  readonly surplus: number;
  readonly telling: TellingColumns;
  /** The starts of the rows that csv-parse reads differently, as byte positions in the content. */
  readonly disputed: readonly number[];
  readonly skipFooter: number;
  readonly maxRowBytes: number;
  /** The content is only this part of it. */
  readonly slice?: Slice | undefined;
}

/** Reads decoded content (UTF-8 without byte order mark). Throws an input error at a second table. */
export async function* readCsvRows(
  content: AsyncIterable<Buffer>,
  layout: CsvLayout,
): AsyncGenerator<CsvChunk> {
  const chunks = fitRows(content, layout);
  // A footer of one cell does not belong to the row above it, so it is dropped first.
  const body = layout.skipFooter > 0 ? dropFooter(chunks, layout.skipFooter, layout.file) : chunks;
  const { headerLine } = layout.dialect;
  const watch = new SecondTableWatch({ ...layout, headerLine });
  const header =
    headerLine === undefined ? undefined : new RepeatedHeader(layout.file, headerLine, layout.columns);
  // A header next to a line of one cell, such as a page number, does not belong to that line.
  for await (const chunk of withholdTornRows(header === undefined ? body : passOverHeaders(body, header))) {
    watch.check(chunk.rows);
    yield chunk;
  }
}

async function* passOverHeaders(
  chunks: AsyncIterable<CsvChunk>,
  header: RepeatedHeader,
): AsyncGenerator<CsvChunk> {
  for await (const chunk of chunks) {
    const repeated = new Set(header.find(chunk.rows));
    if (repeated.size === 0) {
      yield chunk;
      continue;
    }
    const { rows } = chunk;
    const headers = Array.from(repeated, (index) => rows.line(index));
    rows.keep((index) => !repeated.has(index));
    yield { ...chunk, headers };
  }
}

/** The rows that have the width of the table. */
async function* fitRows(content: AsyncIterable<Buffer>, layout: CsvLayout): AsyncGenerator<CsvChunk> {
  const { dialect, columns, maxRowBytes, slice } = layout;
  const skipLines = dialect.dataLine - 1;
  const scanner = new RowScanner(dialect, { maxRowBytes, skipLines, begin: slice, isLent: true });
  const disputed = new Set(layout.disputed);
  for await (const scanned of scanAll(content, scanner)) {
    const { rows, unreadable } = fit(scanned, layout, disputed);
    if (rows.length + unreadable.length > 0) yield { columns, rows, unreadable };
  }
}

async function* scanAll(content: AsyncIterable<Buffer>, scanner: RowScanner): AsyncGenerator<ScannedRows> {
  for await (const piece of content)
    for (let from = 0; from < piece.length; from += BYTES_AT_ONCE)
      yield scanner.push(piece.subarray(from, from + BYTES_AT_ONCE));
  yield scanner.end();
}

function fit(scanned: ScannedRows, layout: CsvLayout, disputed: ReadonlySet<number>): ScannedRows {
  const { columns, surplus } = layout;
  const { rows } = scanned;
  const width = columns.length + surplus;
  const cut = mayCutEntities(layout.dialect) ? findCutRows(rows) : new Map<number, number>();
  const isFit = (index: number): boolean =>
    rows.width(index) === width &&
    (disputed.size === 0 || !disputed.has(rows.start(index))) &&
    (cut.size === 0 || !cut.has(index));
  if (surplus === 0 && areAll(rows, isFit)) return scanned;
  const misfits: Misfit[] = [];
  const table = { ...layout, headerLine: layout.dialect.headerLine };
  rows.keep((index) => {
    if (surplus === 0 && isFit(index)) return true;
    const row = rows.row(index);
    const cutCell = cut.get(index);
    const problem =
      cutCell !== undefined
        ? describeCut(row, cutCell)
        : isFit(index)
          ? findSurplus(row, layout)
          : describeMisfit(row, layout, disputed);
    if (problem === undefined) return true;
    if (row.width !== width && cutCell === undefined) refuseGluedHeader(row, table);
    if (mayBeTorn(row, width)) problem.isFragment = true;
    misfits.push(problem);
    return false;
  });
  rows.narrow(columns.length);
  return { rows, unreadable: inFileOrder([...scanned.unreadable, ...misfits]) };
}

function areAll({ length }: CsvRows, isTrue: (index: number) => boolean): boolean {
  for (let index = 0; index < length; index++) if (!isTrue(index)) return false;
  return true;
}

function inFileOrder(rows: UnreadableRow[]): UnreadableRow[] {
  return rows.sort((left, right) => left.start - right.start);
}

/** The first filled cell after the columns. */
function findSurplus(row: CsvRow, { columns, surplus }: CsvLayout): Misfit | undefined {
  const { spans, firstCell, line, start, end } = row;
  for (let index = columns.length; index < columns.length + surplus; index++) {
    const cell = firstCell + index;
    if (spans.starts[cell] === spans.ends[cell]) continue;
    return {
      line,
      start,
      end,
      column: index + 1,
      ...(spans.isSheet ? { cell: cellName(index + 1, line) } : {}),
      value: spans.text(cell),
      reason: `the cell is in column ${index + 1}, which has no header and is empty in the rows before`,
      hint: "give the column a name in the header, or empty the cell",
    };
  }
  return undefined;
}

function describeCut(row: CsvRow, index: number): Misfit {
  const { line, start, end } = row;
  return {
    line,
    start,
    end,
    column: index + 1,
    value: row.cell(index),
    reason: "it ends in an HTML entity without its ;, so the ; behind it may be part of the text",
    hint: "write the cell whose text holds the ; in quotes",
  };
}

function commentOf(row: CsvRow): string | undefined {
  return row.width === 1 && !row.spans.isSheet ? commentOption(row.cell(0)) : undefined;
}

function describeMisfit(
  row: CsvRow,
  { columns, surplus, dialect }: CsvLayout,
  disputed: ReadonlySet<number>,
): Misfit {
  const { line, width, start, end } = row;
  if (disputed.has(start)) {
    return {
      line,
      start,
      end,
      reason: "two CSV parsers split it into different cells",
      hint: "write each cell with a quote in it in quotes, and report the row as a defect of rec-push",
    };
  }
  const held = `${width} ${width === 1 ? "cell" : "cells"}`;
  const expected =
    dialect.headerLine === undefined || surplus > 0
      ? `the other rows have ${columns.length + surplus}`
      : `the header has ${columns.length}`;
  return {
    line,
    start,
    end,
    reason: `the row has ${held}, ${expected}`,
    hint:
      width > columns.length
        ? "a cell that holds the delimiter must be in quotes"
        : (commentOf(row) ?? "complete the row, or leave out lines at the end with --skip-footer N"),
  };
}
