import { type Options, parse } from "csv-parse/sync";
import { expect } from "vitest";
import type { Dialect } from "../../src/model/reading.ts";
import { RowScanner, type ScannedRows } from "../../src/read/csv/row-scanner.ts";
import type { SpanRow } from "../../src/read/rows.ts";

/** Compared at a time: a megabyte of cells as text would stay in memory long after they are compared. */
const ROWS_AT_ONCE = 512;

/** The starts of the rows whose cells csv-parse reads differently, in ascending order. `content` contains the rows. */
function findDisputedRows(content: Buffer, rows: readonly SpanRow[], marks: Marks): readonly number[] {
  const disputed: number[] = [];
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE);
    if (isAgreed(content, some, marks)) continue;
    for (const row of some) if (!isAgreed(content, [row], marks)) disputed.push(row.start);
  }
  return disputed;
}

function isAgreed(content: Buffer, rows: readonly SpanRow[], marks: Marks): boolean {
  const text = Buffer.concat(rows.map(({ start, end }) => content.subarray(start, end)));
  const parsed = parseRows(text, marks);
  return parsed?.length === rows.length && rows.every((row, at) => isSame(row, parsed[at]!));
}

function isSame({ spans, firstCell, width }: SpanRow, other: readonly string[]): boolean {
  // Blanks at the end of an unquoted cell are no part of the comparison, because csv-parse leaves them out.
  return (
    other.length === width &&
    other.every((cell, at) => cell.trimEnd() === spans.text(firstCell + at).trimEnd())
  );
}

/** The scan has settled every row border and quote, so csv-parse is run leniently; `undefined` if it still fails. */
function parseRows(rows: Buffer, { delimiter, quote, escape }: Marks): readonly string[][] | undefined {
  const options: Options = {
    delimiter,
    quote: quote === "" ? null : quote,
    escape: quote === "" ? null : escape,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_quotes: true,
    // Blanks behind a closing quote are no part of the cell.
    rtrim: true,
    relax_column_count: true,
  };
  const limit = Error.stackTraceLimit;
  // csv-parse creates an error for every row of another width and then drops it; without a stack trace that is cheap.
  Error.stackTraceLimit = 0;
  try {
    return rows.length === 0 ? [] : parse(rows, options);
  } catch {
    return undefined;
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** The part of a dialect that a scan needs. */
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

/** Scans a text in chunks of a size; csv-parse has to read each row the same way. */
export function split(text: string, marks: Marks, size: number, maxRowBytes = 1_048_576): Split {
  const bytes = Buffer.from(text);
  const step = size === 0 ? Math.max(bytes.length, 1) : size;
  const scanner = new RowScanner(marks, { maxRowBytes });
  const found: ScannedRows[] = [];
  for (let at = 0; at < bytes.length; at += step) {
    // Its owner overwrites it before the rows are read.
    const lent = Buffer.from(bytes.subarray(at, at + step));
    found.push(scanner.push(lent));
    lent.fill(0xff);
  }
  found.push(scanner.end());
  const rows = found.flatMap(({ rows }) => [...rows]);
  expect(findDisputedRows(bytes, rows, marks)).toEqual([]);
  return {
    rows: rows.map(({ line, texts }) => [line, texts].flat()),
    problems: found.flatMap(({ unreadable }) => unreadable).map(({ line, reason }) => [line, reason]),
  };
}
