import type { Dialect } from "../../model/reading.ts";
import type { Row, RowChunk, RowProblem } from "../../model/row.ts";
import { createCsvSplitter, type Stretch } from "./csv-splitter.ts";
import { dropFooter } from "./drop-footer.ts";
import { countLineEnds } from "../text/line-ends.ts";
import { createCellParser, type ParseCells } from "./parse-cells.ts";
import { refuseSecondTable } from "./second-table.ts";
import { asFragment, withholdTornRows } from "./torn-rows.ts";

/** How the rows of one CSV are read, settled before. */
export interface CsvLayout {
  readonly file: string;
  readonly dialect: Dialect;
  readonly columns: readonly string[];
  /** Empty cells that every row has behind its columns. */
  readonly surplus: number;
  /** Positions, from 0, of the columns that hold numbers or dates. */
  readonly numericColumns: readonly number[];
  readonly skipFooter: number;
  readonly maxRowBytes: number;
}

/**
 * Reads decoded content (UTF-8 without byte order mark) that begins on a line. Throws an input error at a second table.
 */
export async function* readCsvRows(
  content: AsyncIterable<Buffer>,
  layout: CsvLayout,
  firstLine: number,
): AsyncGenerator<RowChunk> {
  const chunks = parseRows(content, layout, firstLine);
  // A footer of one cell is no part of the row above it: it goes first.
  const body = layout.skipFooter > 0 ? dropFooter(chunks, layout.skipFooter) : chunks;
  for await (const chunk of withholdTornRows(body)) {
    refuseSecondTable(chunk.rows, { ...layout, headerLine: layout.dialect.headerLine });
    yield chunk;
  }
}

async function* parseRows(
  content: AsyncIterable<Buffer>,
  layout: CsvLayout,
  firstLine: number,
): AsyncGenerator<RowChunk> {
  const { dialect, maxRowBytes } = layout;
  const splitter = createCsvSplitter(dialect, { maxRowBytes, skipLines: dialect.dataLine - 1, firstLine });
  const parseCells = createCellParser(dialect);
  for await (const piece of content) {
    const stretch = splitter.push(piece);
    if (stretch.lines.length + stretch.problems.length > 0) {
      yield toRowChunk(stretch, parseCells, layout);
    }
  }
  const stretch = splitter.end();
  if (stretch.lines.length + stretch.problems.length > 0) {
    yield toRowChunk(stretch, parseCells, layout);
  }
}

function toRowChunk(stretch: Stretch, parseCells: ParseCells, layout: CsvLayout): RowChunk {
  const { columns, surplus } = layout;
  const width = columns.length + surplus;
  const parsed = stretch.cells ?? parseCells(stretch.bytes);
  if (parsed.length !== stretch.lines.length) {
    // Cells under a wrong line number could be sent for another row: better none at all.
    throw new Error(`${layout.file}: ${stretch.lines.length} rows were found and ${parsed.length} parsed`);
  }
  const rows: Row[] = [];
  const misfits: RowProblem[] = [];
  for (let index = 0; index < parsed.length; index += 1) {
    const cells = parsed[index] ?? [];
    const line = stretch.lines[index] ?? 0;
    const problem = cells.length === width && surplus === 0 ? undefined : findMisfit(cells, line, layout);
    if (problem === undefined) {
      if (surplus > 0) cells.length = columns.length;
      rows.push({ line, cells });
    } else {
      const misfit = withLastLine(problem, cells);
      misfits.push(cells.length === 1 ? asFragment(misfit) : misfit);
    }
  }
  const problems =
    misfits.length === 0 || stretch.problems.length === 0
      ? [...stretch.problems, ...misfits]
      : [...stretch.problems, ...misfits].sort((a, b) => a.line - b.line);
  return { columns, rows, problems };
}

/** A cell may hold line ends: the row then goes on behind its line. */
function withLastLine(problem: RowProblem, cells: readonly string[]): RowProblem {
  const lines = countLineEnds(cells);
  return lines === 0 ? problem : { ...problem, lastLine: problem.line + lines };
}

function findMisfit(cells: readonly string[], line: number, layout: CsvLayout): RowProblem | undefined {
  const { columns, surplus, dialect } = layout;
  if (cells.length === columns.length + surplus) {
    const filled = cells.findIndex((cell, index) => index >= columns.length && cell !== "");
    return filled === -1
      ? undefined
      : {
          line,
          column: filled + 1,
          value: cells[filled] ?? "",
          reason: `the cell stands in column ${filled + 1}, which has no header and is empty in the rows before`,
          hint: "give the column a name in the header, or empty the cell",
        };
  }
  const held = `${cells.length} ${cells.length === 1 ? "cell" : "cells"}`;
  const expected =
    dialect.headerLine === undefined || surplus > 0
      ? `the other rows have ${columns.length + surplus}`
      : `the header has ${columns.length}`;
  return {
    line,
    reason: `the row has ${held}, ${expected}`,
    hint:
      cells.length > columns.length
        ? "a cell that holds the delimiter must stand in quotes"
        : "complete the row, or leave out lines at the end with --skip-footer N",
  };
}
