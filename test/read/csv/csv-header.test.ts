import { expect, it } from "vitest";
import { findHeader } from "../../../src/read/csv/csv-header.ts";
import type { SampleRow } from "../../../src/read/csv/csv-quote.ts";

it("lines above a header found by chance are compared with the rows below it in linear time", () => {
  let asked = 0;
  // A semicolon in a few remarks makes two cells of these lines, and one of all others.
  const rowOf = (at: number): SampleRow => {
    const text = `FUL_${at},${"x".repeat(at)},2014-07-21`;
    const cells = at === 500 || at === 999 ? [text, " on demand"] : [text];
    const cell = (column: number): string => {
      asked += 1;
      return cells[column] ?? "";
    };
    return { line: at + 1, width: cells.length, filled: cells.length, cells, cell };
  };
  const rows = Array.from({ length: 1000 }, (_, at) => rowOf(at));
  findHeader(rows, 2, () => false);
  expect(asked).toBeLessThan(20 * rows.length);
});
