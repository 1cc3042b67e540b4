import { expect } from "vitest";
import type { Dialect } from "../../src/model/reading.ts";
import { findDisputedRows } from "./second-opinion.ts";
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
