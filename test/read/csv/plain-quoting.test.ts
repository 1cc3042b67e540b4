import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Marks } from "../../../src/read/csv/csv-grammar.ts";
import { findDisputedRows } from "../../../src/read/csv/disputed-rows.ts";
import { CsvRow } from "../../../src/read/csv/entity-seam.ts";
import { RowScanner } from "../../../src/read/csv/row-scanner.ts";
import { plainRowsOf, settleCsv } from "../../../src/read/csv/settle-csv.ts";

const DOUBLED: Marks = { delimiter: ";", quote: '"', escape: '"' };
const BACKSLASH: Marks = { delimiter: ",", quote: '"', escape: "\\" };

function scan(text: string, marks: Marks): readonly CsvRow[] {
  const scanner = new RowScanner({ ...marks, comment: "" }, { maxRowBytes: 10_000 });
  const first = scanner.push(Buffer.from(text));
  const last = scanner.end();
  return [...first.rows, ...last.rows];
}

const text = fc
  .array(fc.constantFrom("a", "1", " ", '"', '"', "\\", ";", ",", "\n", "\r\n", "é", '";"', '","'), {
    minLength: 1,
    maxLength: 30,
  })
  .map((parts) => parts.join(""));

describe("a row whose quoting is plain", () => {
  it.each([DOUBLED, BACKSLASH])("is read by csv-parse as by any scan that finds it so: $escape", (marks) => {
    const isPlain = plainRowsOf(marks);
    let plain = 0;
    fc.assert(
      fc.property(text, fc.nat(), fc.integer({ min: -2, max: 2 }), fc.boolean(), (lines, at, by, ofStart) => {
        const rows = scan(lines, marks);
        for (const { line, start, end, spans, firstCell, width } of rows) {
          // A scan that is wrong by some bytes in one cell.
          const cell = firstCell + (at % width);
          const moved = ofStart ? spans.starts : spans.ends;
          moved[cell]! += by;
          const row = new CsvRow(line, start, end, spans, firstCell, width);
          const asked = [row].filter(isPlain);
          plain += asked.length;
          expect(findDisputedRows(Buffer.from(lines), asked, marks)).toEqual([]);
          moved[cell]! -= by;
        }
      }),
      { numRuns: 2000 },
    );
    expect(plain).toBeGreaterThan(100);
  });

  it("is not one with a quote, an escape or a space where none belongs", () => {
    const isPlain = (line: string): boolean => {
      const rows = scan(line, DOUBLED);
      return rows.length > 0 && rows.every(plainRowsOf(DOUBLED));
    };
    expect(isPlain('a;"b;c";\n')).toBe(true);
    expect(isPlain('"a\nb";""\r\n')).toBe(true);
    expect(isPlain('a;b""c\n')).toBe(false);
    expect(isPlain('a;"b""c"\n')).toBe(false);
    expect(isPlain('a; "b"\n')).toBe(false);
  });
});

describe("the second opinion", () => {
  it("is asked of a row far below if its quoting is not plain", async () => {
    const rows = Array.from({ length: 2000 }, (_, at) => `K${at};"a;${at}"\n`);
    const odd = ["cle;libelle\n", ...rows, '"a"b;c\n', 'K;"x""y"\n'].join("");
    const bytes = Buffer.from(odd);
    const sample = {
      file: "f.csv",
      bytes,
      isWhole: true,
      skipLines: 0,
      skipFooter: 0,
      comment: "",
      maxRowBytes: 10_000,
    };
    const { disputed } = await settleCsv(sample, { delimiter: ";" });
    const naive = findDisputedRows(bytes, scan(odd, DOUBLED), DOUBLED);
    expect(disputed).toEqual(naive);
  });
});
