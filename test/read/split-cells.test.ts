import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCellParser } from "../../src/read/parse-cells.ts";
import { splitCells } from "../../src/read/split-cells.ts";

/** What csv-parse makes of the rows; `undefined` where it refuses them. */
function parseByLibrary(text: string, delimiter: string, quote: string): string[][] | undefined {
  try {
    return parse(text, {
      delimiter,
      quote: quote === "" ? null : quote,
      escape: quote === "" ? null : quote,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_quotes: true,
      relax_column_count: true,
    });
  } catch {
    return undefined;
  }
}

const MARKS = fc.record({
  delimiter: fc.constantFrom(";", ",", "\t", "|", "¤", " "),
  quote: fc.constantFrom('"', "'", ""),
});
const UNITS = [
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

describe("splitCells", () => {
  it("reads any text as csv-parse does, or leaves it to csv-parse", () => {
    let read = 0;
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...UNITS), maxLength: 24 }),
        MARKS,
        (text, { delimiter, quote }) => {
          const cells = splitCells(text, delimiter, quote);
          if (cells === undefined) return;
          read += 1;
          expect(cells).toEqual(parseByLibrary(text, delimiter, quote));
        },
      ),
      { numRuns: 20_000 },
    );
    expect(read).toBeGreaterThan(5000);
  });

  it("reads every table of quoted and unquoted cells by itself", () => {
    const cell = fc.record({
      text: fc.string({ unit: fc.constantFrom("a", "1", " ", '"', ";", "\n", "\r\n", "é"), maxLength: 8 }),
      isQuoted: fc.boolean(),
    });
    const table = fc.array(
      fc.record({
        cells: fc.array(cell, { minLength: 1, maxLength: 5 }),
        end: fc.constantFrom("\n", "\r\n", "\r"),
      }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(table, fc.boolean(), (rows, endsWithLineEnd) => {
        const written = rows.map(({ cells, end }, index) => {
          const body = cells.map(({ text, isQuoted }) =>
            isQuoted || /["\n\r;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
          );
          return body.join(";") + (index === rows.length - 1 && !endsWithLineEnd ? "" : end);
        });
        const text = written.join("");
        const cells = splitCells(text, ";", '"');
        expect(cells).toBeDefined();
        expect(cells).toEqual(parseByLibrary(text, ";", '"'));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ["a quote inside a cell", 'a"b;c\n'],
    ["text behind a closing quote", '"a"b;c\n'],
    ["a quote that is never closed", '"a;b\n'],
  ])("leaves %s to csv-parse", (_, text) => expect(splitCells(text, ";", '"')).toBeUndefined());

  it("gives rows as long as they are", () => {
    expect(splitCells("a;b;c\nd\n;\ne;f", ";", '"')).toEqual([["a", "b", "c"], ["d"], ["", ""], ["e", "f"]]);
  });
});

describe("createCellParser", () => {
  it.each([
    [
      "a delimiter of several characters",
      { delimiter: ", ", quote: '"', escape: '"' },
      "a, b,c\n",
      [["a", "b,c"]],
    ],
    ["a backslash that escapes", { delimiter: ";", quote: '"', escape: "\\" }, '"a\\"b";c\n', [['a"b', "c"]]],
    ["a literal quote", { delimiter: ";", quote: '"', escape: '"' }, 'Ecran 24";b\n', [['Ecran 24"', "b"]]],
  ] as const)("hands %s to csv-parse", (_, dialect, text, expected) => {
    expect(createCellParser(dialect)(Buffer.from(text))).toEqual(expected);
  });
});
