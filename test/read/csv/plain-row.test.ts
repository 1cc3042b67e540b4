import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlainRowScan, type PlainFind } from "../../../src/read/csv/plain-row.ts";
import { scanCells } from "../../../src/read/csv/scan-cells.ts";

const DIALECT = { delimiter: ";", quote: '"' };
const LARGE = 1000;

interface FoundRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Rows up to what is no row, which is given too. */
function scanRows(
  text: string,
  width: number,
  maxRowBytes = LARGE,
): { readonly rows: readonly FoundRow[]; readonly end: PlainFind; readonly left: string } {
  const bytes = Buffer.from(text);
  const scan = new PlainRowScan(DIALECT, width, maxRowBytes);
  const rows: FoundRow[] = [];
  let line = 1;
  for (let at = 0; ; at = scan.end) {
    const end = scan.scan(bytes, at);
    if (end === "empty") line += 1;
    if (end === "row") {
      const cells = Array.from(scan.starts, (start, cell) => bytes.toString("utf8", start, scan.ends[cell]));
      rows.push({
        line,
        cells: cells.map((cell) => (scan.hasDoubled ? cell.replaceAll('""', '"') : cell)),
      });
      line += scan.lines;
    }
    if (end === "cut" || end === "other") return { rows, end, left: bytes.toString("utf8", at) };
  }
}

const text = fc.string({
  unit: fc.constantFrom("a", "7", ";", ";", "\n", "\n", "\r\n", "\r", " ", '"', "é", "\t"),
  maxLength: 40,
});
const table = fc
  .array(
    fc.array(fc.string({ unit: fc.constantFrom("a", "1", '"', ";", "\n", "\r\n", "é") }), {
      minLength: 2,
      maxLength: 2,
    }),
  )
  .map((rows) =>
    rows.map((cells) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(";")}\r\n`).join(""),
  );

describe("rows by one look at each byte", () => {
  it("are those of one look at each character", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 3 }), (text, width) => {
        const { rows, left } = scanRows(text, width);
        const taken = text.slice(0, text.length - left.length);
        const found = scanCells(taken, 1, DIALECT, { isLast: true, maxRowChars: LARGE });
        expect([found?.lines, found?.cells]).toEqual([
          rows.map(({ line }) => line),
          rows.map(({ cells }) => cells),
        ]);
      }),
      { numRuns: 10_000 },
    );
  });

  it("are all rows of a table that is written with quotes", () => {
    fc.assert(
      fc.property(table, (text) => {
        const found = scanCells(text, 1, DIALECT, { isLast: true, maxRowChars: 10_000 });
        const { rows, end, left } = scanRows(text, 2, 10_000);
        expect([found?.lines, found?.cells]).toEqual([
          rows.map(({ line }) => line),
          rows.map(({ cells }) => cells),
        ]);
        expect([end, left]).toEqual(["cut", ""]);
      }),
    );
  });

  it.each<[string, string, PlainFind]>([
    ["a quote inside a cell", 'a"b;c\n', "other"],
    ["blanks before a quote", ' "a";b\n', "other"],
    ["text behind a closing quote", '"a"b;c\n', "other"],
    ["a cell too many", "a;b;c\n", "other"],
    ["a cell too few", "a\n", "other"],
    ["a line of spaces", "  \n", "other"],
    ["a lone carriage return", "a;b\rc;d\n", "other"],
    ["a lone carriage return in quotes", '"a\rb";c\n', "other"],
    ["a row longer than may be", `${"a".repeat(LARGE)};b\n`, "other"],
    ["a row without an end", "a;b", "cut"],
    ["half a line end", "a;b\r", "cut"],
    ["a quote that is not closed", '"a;b\n', "cut"],
    ["a quote that may be doubled", 'a;"b"', "cut"],
  ])("leave %s", (_, text, end) => {
    expect(scanRows(`x;y\n\r\n${text}`, 2)).toEqual({
      rows: [{ line: 1, cells: ["x", "y"] }],
      end,
      left: text,
    });
  });
});
