import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanCells } from "../../../src/read/csv/scan-cells.ts";
import { CHUNK_SIZES, split } from "../split.ts";

const MARKS = fc.record({
  delimiter: fc.constantFrom(";", ",", "\t", "|", "¤"),
  quote: fc.constantFrom('"' as const, "'" as const, "" as const),
});
const SIGNS = [
  "a",
  "7",
  '"',
  "'",
  ";",
  ",",
  "\t",
  "|",
  "\n",
  "\r",
  "\r\n",
  " ",
  "é",
  "€",
  "😀",
  "\\",
  "\u{feff}",
  "\0",
];
const PLAIN = { delimiter: ";", quote: '"' };
const WHOLE = { isLast: true, maxRowChars: 1000 };

/** Texts in which quotes are rare, so that many of them are plain from end to end. */
const text = fc.string({
  unit: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("a", "7", ";", ",", "\n", "\r\n", " ", "é") },
    { weight: 1, arbitrary: fc.constantFrom(...SIGNS) },
  ),
  maxLength: 40,
});

/** A table written as spreadsheets do. */
const table = fc
  .array(
    fc.record({
      cells: fc.array(
        fc.string({ unit: fc.constantFrom("a", "1", " ", '"', ";", "\n", "\r\n", "\r", "é"), maxLength: 8 }),
        { minLength: 1, maxLength: 5 },
      ),
      end: fc.constantFrom("\n", "\r\n", "\r"),
    }),
    { maxLength: 8 },
  )
  .map((rows) =>
    rows
      .map(({ cells, end }) => {
        const written = cells.map((cell) =>
          /["\n\r;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
        );
        return written.join(";") + end;
      })
      .join(""),
  );

describe("rows taken apart by one look at each character", () => {
  it.each(CHUNK_SIZES)("are those of the closer look and csv-parse, in chunks of %i bytes", (size) => {
    fc.assert(
      fc.property(text, MARKS, fc.constantFrom(12, 1000), (text, { delimiter, quote }, maxRowBytes) => {
        const marks = { delimiter, quote, escape: quote, comment: "" };
        expect(split(text, marks, size, maxRowBytes)).toEqual(split(text, marks, size, maxRowBytes, 0, true));
      }),
      { numRuns: 5000 },
    );
  });

  it.each(CHUNK_SIZES)(
    "are those of a table written with quotes where needed, in chunks of %i bytes",
    (size) => {
      fc.assert(
        fc.property(table, fc.nat(2), (text, skipLines) => {
          const marks = { ...PLAIN, quote: '"' as const, escape: '"' as const, comment: "" };
          expect(split(text, marks, size, 1000, skipLines)).toEqual(
            split(text, marks, size, 1000, skipLines, true),
          );
        }),
        { numRuns: 1000 },
      );
    },
  );

  it("are found in every such table without a closer look", () => {
    fc.assert(
      fc.property(table, (text) => {
        expect(scanCells(text, 1, PLAIN, WHOLE)).toMatchObject({ end: text.length });
      }),
    );
  });

  it.each([
    ["a quote inside a cell", 'a"b;c\n'],
    ["text behind a closing quote", '"a"b;c\n'],
    ["a quote that is never closed", '"a;b\n'],
    ["a row longer than may be", `${"a".repeat(1001)};b\n`],
  ])("leave %s to the closer look", (_, text) => {
    expect(scanCells(text, 1, PLAIN, WHOLE)).toBeUndefined();
  });

  it("give every row its first line, and the place of the row that is cut off", () => {
    const text = 'a;b\n\n"c\nd";e\r\nf;"g';
    expect(scanCells(text, 5, PLAIN, { isLast: false, maxRowChars: 1000 })).toEqual({
      cells: [
        ["a", "b"],
        ["c\nd", "e"],
      ],
      lines: [5, 7],
      end: text.indexOf("f"),
      nextLine: 9,
    });
  });
});
