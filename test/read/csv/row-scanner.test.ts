import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvCells } from "../../../src/read/csv/csv-cells.ts";
import { toGrammar } from "../../../src/read/csv/scan-row.ts";
import { Rows } from "../../../src/read/rows.ts";
import { readTable, sourceOf } from "../chunks.ts";
import { CHUNK_SIZES, FRENCH, split, type Marks } from "../split.ts";
import { draws } from "../../support/draws.ts";
import { parted } from "../../support/parted.ts";

describe("rows and their first lines", () => {
  const cell = fc.oneof(
    fc.constantFrom(...parted`A1|1 437,50|Ecran 24"|l'écran|a\\b|""|€| x |😀|`),
    fc.constantFrom("a\nb", "a\r\nb", "\r", "\n"),
    fc.string({
      unit: fc.constantFrom("a", '"', "'", ";", ",", "\t", "\n", "\r", " ", "é", "\\", "#"),
      maxLength: 6,
    }),
  );
  const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
  const dialect = fc.record({
    delimiter: fc.constantFrom(";", ",", "\t", "|", ":", "¤", ", "),
    quote: fc.constantFrom('"' as const, "'" as const),
    isBackslash: fc.boolean(),
  });
  const table = fc.array(
    fc.record({
      cells: fc.array(fc.record({ text: cell, isQuoted: fc.boolean() }), { minLength: 1, maxLength: 4 }),
      end: lineEnd,
      blankLines: fc.array(lineEnd, { maxLength: 2 }),
    }),
    { maxLength: 6 },
  );

  it.each(CHUNK_SIZES)("are those that were written, at chunk size %s", (size) => {
    const countLines = (part: string): number => part.match(/\r\n|\n|\r/g)?.length ?? 0;
    fc.assert(
      fc.property(table, dialect, fc.boolean(), (rows, { delimiter, quote, isBackslash }, isEnded) => {
        const escape = isBackslash ? "\\" : quote;
        const write = ({ text, isQuoted }: { text: string; isQuoted: boolean }): string => {
          const mustQuote = /[\r\n"'\\]|^\s|^$/.test(text) || text.includes(delimiter.trim());
          if (!isQuoted && !mustQuote) return text;
          const inside = isBackslash ? text.replaceAll("\\", "\\\\") : text;
          return quote + inside.replaceAll(quote, escape + quote) + quote;
        };
        let text = "";
        const expected: (string | number)[][] = [];
        for (const [index, row] of rows.entries()) {
          expected.push([countLines(text) + 1, ...row.cells.map((one) => one.text)]);
          text += row.cells.map(write).join(delimiter);
          if (index === rows.length - 1 && !isEnded) break;
          // A carriage return before a line feed would be one line end, so blank lines end like their row.
          text += row.end + row.blankLines.filter((end) => end === row.end).join("");
        }
        const result = split(text, { delimiter, quote, escape, comment: "" }, size);
        expect(result).toEqual({ rows: expected, problems: [] });
      }),
      draws(150),
    );
  });

  it("do not depend on where any text is cut", () => {
    const noise = fc.string({
      unit: fc.constantFrom("a", "b", '"', ";", "\n", "\r", " ", "\\", "#"),
      maxLength: 60,
    });
    const marks = fc.record<Marks>({
      delimiter: fc.constantFrom(";", "; "),
      quote: fc.constant('"'),
      escape: fc.constantFrom('"', "\\"),
      comment: fc.constantFrom("#", "#a", ""),
    });
    fc.assert(
      fc.property(noise, marks, fc.constantFrom(8, 1000), (text, dialect, max) => {
        const whole = split(text, dialect, 0, max);
        for (const size of [1, 2, 7]) expect(split(text, dialect, size, max)).toEqual(whole);
      }),
      draws(300),
    );
  });

  it("hold every cell exactly as csv-parse reads a line that is well quoted", () => {
    expect(split('a;"b;c";"d\r\ne"\r\n"";"""";x', FRENCH, 0).rows).toEqual([
      [1, "a", "b;c", "d\r\ne"],
      [3, "", '"', "x"],
    ]);
  });

  it.each(CHUNK_SIZES)("leave out lines at the top without looking at their quotes: %i", async (size) => {
    const text = 'Export "du jour\r\n"é€😀\rcle;b\n1;c\n2;"d\ne"\n3;f\n';
    const { rows } = await readTable(sourceOf(text, size), { skipLines: 2, headerLine: 3 });
    expect(rows).toEqual([
      [4, "1", "c"],
      [5, "2", "d\ne"],
      [7, "3", "f"],
    ]);
  });

  it.each(CHUNK_SIZES)(
    "are whole after a line that was left out, cut inside a character: chunk size %s",
    (size) => {
      const [text, row] = ["é€😀".repeat(5), ["é", "€😀", ""]];
      const commented = split(`#${text}\n${row.join(";")}\n`, { ...FRENCH, comment: "#" }, size);
      expect(commented.rows).toEqual([[2, ...row]]);
      const { rows } = split(`${row.join(";")}\n${text};"x\n${row.join(";")}\n`, FRENCH, size, 40);
      expect(rows.map((cells) => cells.join("|"))).toEqual([`1|${row.join("|")}`, `3|${row.join("|")}`]);
    },
  );
});

it("a row beyond the two thousand millionth line has its line number", () => {
  const line = 3_000_000_000;
  const rows = new Rows(new CsvCells(Buffer.from("a;b\nc;d\n"), toGrammar(FRENCH)), 0);
  rows.add(line, 0, 4, 0, 0);
  rows.add(line + 1, 4, 8, 0, 0);
  expect([rows.line(0), rows.row(1).line]).toEqual([line, line + 1]);
});
