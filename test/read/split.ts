import { expect } from "vitest";
import type { Dialect } from "../../src/model/reading.ts";
import { createCsvSplitter } from "../../src/read/csv/csv-splitter.ts";
import { createCellParser } from "../../src/read/csv/parse-cells.ts";

/** What a splitter needs of a dialect. */
export type Marks = Pick<Dialect, "delimiter" | "quote" | "escape" | "comment">;

/** Semicolons and doubled quotes. */
export const FRENCH: Marks = { delimiter: ";", quote: '"', escape: '"', comment: "" };
/** 0 leaves the text whole. */
export const CHUNK_SIZES = [1, 2, 7, 0];

/** Rows as `[line, ...cells]`, problems as `[line, reason]`. */
export interface Split {
  rows: (string | number)[][];
  problems: [line: number, reason: string][];
}

/** Splits and parses a text that comes in chunks of a size. */
export function split(
  text: string,
  marks: Marks,
  size: number,
  maxRowBytes = 1_048_576,
  skipLines = 0,
  looksClosely = false,
): Split {
  const splitter = createCsvSplitter(marks, { maxRowBytes, skipLines, looksClosely });
  const parseCells = createCellParser(marks);
  const bytes = Buffer.from(text);
  const result: Split = { rows: [], problems: [] };
  const step = size === 0 ? Math.max(bytes.length, 1) : size;
  const stretches = [];
  for (let at = 0; at < bytes.length; at += step)
    stretches.push(splitter.push(bytes.subarray(at, at + step)));
  stretches.push(splitter.end());
  for (const stretch of stretches) {
    const cells = stretch.cells ?? parseCells(stretch.bytes);
    expect(cells).toHaveLength(stretch.lines.length);
    for (const [index, row] of cells.entries()) result.rows.push([stretch.lines[index] ?? 0, ...row]);
    result.problems.push(...stretch.problems.map(({ line, reason }): [number, string] => [line, reason]));
  }
  return result;
}
