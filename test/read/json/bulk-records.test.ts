import { afterEach, describe, expect, it, vi } from "vitest";
import { AlikeRows } from "../../../src/read/json/alike-rows.ts";
import { outcomeOf, plainRows, read, strictOutcome } from "./json-support.ts";

const BULK = { bulkFrom: 0 };

function rowsOf(count: number, write: (row: number) => string): string[] {
  return Array.from({ length: count }, (_, row) => write(row));
}

describe("records that are found many at a time", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ["an array", "json", (rows: string[]) => `[${rows.join(",\n")}]`],
    ["NDJSON", "ndjson", (rows: string[]) => rows.join("\n")],
  ] as const)("are hardly ever looked at one by one: %s", async (_, format, join) => {
    const find = vi.spyOn(AlikeRows.prototype, "find");
    for (const name of ["cle", "numero"]) {
      const pass = await read(join(rowsOf(700, (row) => `{"${name}":"K${row}","n":${row}}`)), {
        format,
        ...BULK,
      });
      expect(plainRows(pass)).toEqual(rowsOf(700, String).map((row) => [`K${row}`, `#${row}`]));
      expect(pass.rows.map(({ line }) => line)).toEqual(pass.rows.map((_row, index) => index + 1));
    }
    expect(find.mock.calls.length).toBeLessThan(5);
  });

  it("have room for columns that they leave out", async () => {
    const all = Object.fromEntries(rowsOf(68, (column) => `c${column}`).map((name) => [name, name]));
    const rows = [JSON.stringify(all), ...rowsOf(1200, (row) => `{"c0":${row},"c9":1}`)];
    const text = `[${rows.join(",")}]`;
    expect(await outcomeOf(text, BULK)).toEqual(await strictOutcome(text, {}));
  });

  it.each([
    ["a comma is missing", '[{"a":1},\n{"a":2},\n{"a":3} {"a":4}]'],
    ["a comma is missing behind a line end", '[{"a":1},{"a":2},{"a":3}\n{"a":4}]'],
    ["a comma is too many", '[{"a":1},{"a":2},{"a":3},]'],
    ["a fault is on the line of the last one", '[{"a":1},\n{"a":2},\n{"a":3}, {"a":x}]'],
    ["a fault is below a record over lines", '[{"a":1},{"a":2},{\n"a":3}, {\n"a":4},{"a":}]'],
    ["a record is cut off", '[{"a":1},{"a":2},{"a":3},{"a":4'],
    ["a string is cut off", '[{"a":"1"},{"a":"2"},{"a":"3"},{"a":"4'],
    ["an escape is cut off", '[{"a":"1"},{"a":"2"},{"a":"3"},{"a":"4\\'],
  ])("end where the strict scanner finds a fault: %s", async (_, text) => {
    const strictly = await strictOutcome(text, {});
    expect(strictly).toHaveProperty("code");
    expect(await outcomeOf(text, BULK)).toEqual(strictly);
  });
});
