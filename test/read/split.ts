import { expect } from "vitest";
import type { UnreadableRow } from "../../src/model/rows.ts";
import type { Dialect } from "../../src/model/reading.ts";
import { findDisputedRows } from "./second-opinion.ts";
import type { SpanRow } from "../../src/read/rows.ts";
import { RowScanner, type ScannedRows } from "../../src/read/csv/row-scanner.ts";

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
export function split(
  text: string,
  marks: Marks,
  size: number,
  maxRowBytes = 1_048_576,
  skipLines = 0,
): Split {
  const { rows, unreadable } = scan(Buffer.from(text), marks, size, maxRowBytes, skipLines);
  expect(findDisputedRows(Buffer.from(text), rows, marks)).toEqual([]);
  return {
    rows: rows.map(({ line, texts }) => [line, texts].flat()),
    problems: unreadable.map(({ line, reason }) => [line, reason]),
  };
}

/** The rows of bytes in chunks of a size; plain rows have to be the same as with care. */
function scan(
  bytes: Buffer,
  marks: Marks,
  size: number,
  maxRowBytes = 1_048_576,
  skipLines = 0,
): { readonly rows: readonly SpanRow[]; readonly unreadable: readonly UnreadableRow[] } {
  const step = size === 0 ? Math.max(bytes.length, 1) : size;
  const [withCare, asPlain] = [true, false].map((isCareful) => {
    const scanner = new RowScanner(marks, { maxRowBytes, skipLines, isCareful });
    const found: ScannedRows[] = [];
    for (let at = 0; at < bytes.length; at += step) found.push(scanner.push(bytes.subarray(at, at + step)));
    found.push(scanner.end());
    return {
      rows: found.flatMap(({ rows }) => [...rows]),
      unreadable: found.flatMap(({ unreadable }) => unreadable),
    };
  });
  expect(asPlain!.unreadable).toEqual(withCare!.unreadable);
  expect(asPlain!.rows.map(spansOf)).toEqual(withCare!.rows.map(spansOf));
  return asPlain!;
}

function spansOf({ line, start, end, spans, firstCell, width }: SpanRow): unknown {
  const cells = Array.from({ length: width }, (_, at) => [
    spans.starts[firstCell + at],
    spans.ends[firstCell + at],
    spans.marks[firstCell + at],
  ]);
  return { line, start, end, firstCell, cells };
}
