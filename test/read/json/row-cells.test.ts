import fc from "fast-check";
import { expect, it } from "vitest";
import { type Cell, cellOf } from "../../../src/model/rows.ts";
import { RowCells } from "../../../src/read/json/json-record.ts";

const drawRow = fc.uniqueArray(
  fc.tuple(fc.oneof(fc.nat(20), fc.nat(1000)), fc.constantFrom<Cell>("", "x", null, true)),
  { selector: ([column]) => column, maxLength: 60 },
);

it("gives every cell back from its column, in whatever order they come", () => {
  fc.assert(
    fc.property(fc.array(drawRow, { maxLength: 4 }), (rows) => {
      const gathering = new RowCells();
      for (const cells of rows) {
        for (const [column, cell] of cells) gathering.put(column, cell);
        const row = { line: 1, start: 0, end: 1, ...gathering.take() };
        const byColumn = new Map(cells);
        for (let column = 0; column <= 1000; column++) {
          expect(cellOf(row, column)).toBe(byColumn.get(column));
        }
      }
    }),
  );
});

it("takes room for the cells alone", () => {
  const gathering = new RowCells();
  for (const column of [9000, 3, 5000]) gathering.put(column, String(column));
  expect(gathering.take()).toEqual({ cells: ["3", "5000", "9000"], columns: [3, 5000, 9000] });
  gathering.put(1, "x");
  expect(gathering.take()).toEqual({ cells: [undefined, "x"] });
});
