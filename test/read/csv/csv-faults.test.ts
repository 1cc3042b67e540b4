import { describe, expect, it } from "vitest";
import { RowScanner } from "../../../src/read/csv/row-scanner.ts";
import { CHUNK_SIZES, FRENCH, type Marks, type Split, split } from "../split.ts";

/** Rows as a text: `1:a,b 3:e,f`. */
const shown = (rows: Split["rows"]): string =>
  rows.map(([line, ...cells]) => `${line}:${cells.join()}`).join(" ");

describe("quotes that have no certain reading", () => {
  it.each([
    ["a quote never closed", 'a;b\nc;"d\ne;f\n', 2, /never closed/, "1:a,b 3:e,f"],
    ["text behind a closing quote", 'a;b\nc;"d"x\ne;f\n', 2, /text follows/, "1:a,b 3:e,f"],
    ["a blank before an opening quote", 'a;b\nc; "d"\ne;f\n', 2, /there is a blank before/, "1:a,b 3:e,f"],
    ["odd quotes in two cells", 'a;b\nEcran 24";12"\ne;f\n', 2, /two or more cells/, "1:a,b 3:e,f"],
    ["the line where the quote opens", '"a\nb";"c\nd;e\nf;g\n', 2, /the row begins at line 1/, "3:d,e 4:f,g"],
    ["a quote closed in a later row", 'a;"b\nc;"d"\ne;f\n', 1, /text follows/, "2:c,d 3:e,f"],
  ])("reject one physical line for %s", (_, text, line, reason, rows) => {
    for (const size of CHUNK_SIZES) {
      const result = split(text, FRENCH, size);
      expect(shown(result.rows)).toBe(rows);
      expect(result.problems).toEqual([[line, expect.stringMatching(reason)]]);
    }
  });

  it("keep a quote that does not begin a cell", () => {
    const text = `="00123";x\nEcran 24";x\n5" et 7";6" et 8"\nl'ecran;d'abord\n`;
    const rows = `1:="00123",x 2:Ecran 24",x 3:5" et 7",6" et 8" 4:l'ecran,d'abord`;
    const result = split(text, FRENCH, 0);
    expect([shown(result.rows), result.problems]).toEqual([rows, []]);
  });

  it.each(CHUNK_SIZES)("blanks behind a closing quote are no part of the cell, in chunks of %i", (size) => {
    const text = '"A1" ;"-1;5"\t;x\r\n"A2"  ;"two\nlines" ;"c" \r\nA3;b ;"c"\t';
    const result = split(text, FRENCH, size);
    expect([shown(result.rows), result.problems]).toEqual(["1:A1,-1;5,x 2:A2,two\nlines,c 4:A3,b ,c", []]);
    const torn = split('"6" inch";"a" b\n"A2"\t;b\n', { ...FRENCH, delimiter: "\t" }, size);
    expect(torn).toEqual({ rows: [[2, "A2", ";b"]], problems: [[1, expect.stringMatching(/text follows/)]] });
  });

  it("reject a backslash before anything but a quote or a backslash where it escapes", () => {
    const marks: Marks = { ...FRENCH, escape: "\\" };
    expect(split('"a\\"b";"c\\\\d"\n"C:\\temp";x\n', marks, 0)).toEqual({
      rows: [[1, 'a"b', "c\\d"]],
      problems: [[2, expect.stringMatching(/backslash/)]],
    });
  });

  it("take quotes as text where nothing is quoted", () => {
    const { rows } = split('"a;b"\nc";"d\n', { ...FRENCH, quote: "", escape: "" }, 0);
    expect(shown(rows)).toBe('1:"a,b" 2:c","d');
  });
});

describe("long rows", () => {
  const long = "x".repeat(50);

  it.each(CHUNK_SIZES)("are problems that name the line, and reading goes on, at chunk size %s", (size) => {
    const result = split(`a;b\n${long};c\nd;e\n"${long}\n${long}\nf;g\n`, FRENCH, size, 20);
    expect(shown(result.rows)).toBe("1:a,b 3:d,e 6:f,g");
    expect(result.problems.map(([line]) => line)).toEqual([2, 4, 5]);
  });

  it("never hold more than the limit and a chunk while a quote stays open", () => {
    const scanner = new RowScanner(FRENCH, { maxRowBytes: 1000 });
    let rows = 0;
    let problems = 0;
    scanner.push(Buffer.from('a;"open\n'));
    for (let i = 0; i < 5000; i += 1) {
      const found = scanner.push(Buffer.from("b;c\n"));
      rows += found.rows.length;
      problems += found.unreadable.length;
    }
    expect(problems).toBe(1);
    expect(rows).toBeGreaterThan(4700);
    expect(rows + scanner.end().rows.length).toBe(5000);
  });

  it("are counted alike where they are blank, however they are cut", () => {
    const text = `a;b\n${" ".repeat(30)}\nc;d\n`;
    const whole = split(text, FRENCH, 0, 20);
    expect(whole.problems.map(([line]) => line)).toEqual([2]);
    for (const size of [1, 2, 7]) expect(split(text, FRENCH, size, 20)).toEqual(whole);
  });

  it("keep a row of exactly the limit", () => {
    expect(split(`${"x".repeat(17)};b\n`, FRENCH, 0, 20).rows).toHaveLength(1);
    expect(split(`${"x".repeat(18)};b\n`, FRENCH, 0, 20).rows).toHaveLength(0);
  });
});
