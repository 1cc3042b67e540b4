import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvCells, toGrammar } from "../../../src/read/csv/csv-cells.ts";
import { Rows } from "../../../src/read/rows.ts";
import { CHUNK_SIZES, FRENCH, split, type Marks } from "../split.ts";
import { draws } from "../../support/draws.ts";

describe("rows and their first lines", () => {
  const cell = fc.oneof(
    fc.constantFrom(
      "",
      "A1",
      "1 437,50",
      'Ecran 24"',
      "l'écran",
      "a\nb",
      "a\r\nb",
      "\r",
      "\n",
      '""',
      "€",
      " x ",
      "😀",
      "a\\b",
    ),
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
    fc.assert(
      fc.property(
        table,
        dialect,
        fc.boolean(),
        (rows, { delimiter, quote, isBackslash }, endsWithLineEnd) => {
          const escape = isBackslash ? "\\" : quote;
          let text = "";
          let line = 1;
          const expected: (string | number)[][] = [];
          const countLines = (part: string): number => part.match(/\r\n|\n|\r/g)?.length ?? 0;
          for (const [index, row] of rows.entries()) {
            const written = row.cells.map(({ text: value, isQuoted }) => {
              const mustQuote = /[\r\n"'\\]|^\s|^$/.test(value) || value.includes(delimiter.trim());
              if (!isQuoted && !mustQuote) return value;
              const inside = isBackslash
                ? value.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`)
                : value.replaceAll(quote, quote + quote);
              return quote + inside + quote;
            });
            const isLast = index === rows.length - 1;
            const body = written.join(delimiter);
            const tail = isLast && !endsWithLineEnd ? "" : row.end;
            // A carriage return before a line feed would be one line end, so blank lines end like their row.
            const blank = row.blankLines.filter((end) => end === row.end);
            expected.push([line, ...row.cells.map(({ text: value }) => value)]);
            text += body + tail;
            line += countLines(body) + 1;
            if (tail !== "") {
              text += blank.join("");
              line += blank.length;
            }
          }
          const result = split(text, { delimiter, quote, escape, comment: "" }, size);
          expect(result.problems).toEqual([]);
          expect(result.rows).toEqual(expected);
        },
      ),
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

  it("leave out lines at the top without looking at their quotes", () => {
    expect(split('Export "du jour\r\nx\na;b\n', FRENCH, 2, 1000, 2).rows).toEqual([[3, "a", "b"]]);
  });

  it.each(CHUNK_SIZES)(
    "are whole after a line that was left out, cut inside a character: chunk size %s",
    (size) => {
      const [text, row] = ["é€😀".repeat(5), ["é", "€😀", ""]];
      expect(split(`${text}\n${row.join(";")}\n`, FRENCH, size, 1000, 1).rows).toEqual([[2, ...row]]);
      expect(split(`${row.join(";")}\n${text};"x\n${row.join(";")}\n`, FRENCH, size, 40).rows).toEqual([
        [1, ...row],
        [3, ...row],
      ]);
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
