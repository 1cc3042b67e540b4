import { describe, expect, it } from "vitest";
import { RowScanner } from "../../../src/read/csv/row-scanner.ts";
import type { ReadOptions } from "../../../src/read/read-options.ts";
import { readTable, sourceOf } from "../chunks.ts";
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

  it("keep a row of exactly the limit", () => {
    expect(split(`${"x".repeat(17)};b\n`, FRENCH, 0, 20).rows).toHaveLength(1);
    expect(split(`${"x".repeat(18)};b\n`, FRENCH, 0, 20).rows).toHaveLength(0);
  });
});

const SIZES = [0, 1];
const HEAD = "cle;num_commande;note\nA1;1;x\n";

/** The lines of the rows and of the problems, which are the same in chunks of any size. */
async function linesOf(text: string, options: ReadOptions = { headerLine: 1 }): Promise<unknown> {
  const found = await Promise.all(SIZES.map((size) => readTable(sourceOf(`${HEAD}${text}`, size), options)));
  const lines = found.map(({ rows, problems }) => [
    rows.map(([line]) => line),
    problems.map(({ line }) => line),
  ]);
  for (const other of lines) expect(other).toEqual(lines[0]);
  return lines[0];
}

describe("a row torn by a line end without quotes", () => {
  it.each([
    ["is withheld with the rest of its last cell", "A2;2;first\nsecond\nA3;3;y\nA4;4;z\n", [2, 6], [3, 4, 5]],
    ["is withheld with the beginning of its key", "\nA\n2;2;y\nA3;3;z\n", [2, 6], [4, 5]],
    ["is withheld if the rest holds the delimiter", "A2;2;a\nb;c\nA3;3;y\nA4;4;z\n", [2, 6], [3, 4, 5]],
    ["is not suspected beside a row that lacks a cell", "A2;2;y\nA3;3\nA4;4;z\n", [2, 3, 5], [4]],
    ["is not suspected across a blank line", "A2;2;y\n\nend of the export\n", [2, 3], [5]],
  ])("%s", async (_, text, ...lines) => {
    expect(await linesOf(text)).toEqual(lines);
  });

  it("is not suspected above a footer that is left out", async () => {
    expect(await linesOf("A2;2;y\nend of the export\n", { skipFooter: 1 })).toEqual([[2, 3], []]);
  });

  it.each(["(2 rows)", "\u001a", "Extraction du 05/08/2016\n", "(2 rows)\n;;\n"])(
    "names --skip-footer 1 where the last line is %j",
    async (last) => {
      const { problems } = await readTable(sourceOf(`${HEAD}A2;2;y\n${last}`, 1));
      expect(problems).toMatchObject([
        { line: 3, hint: expect.stringContaining("--skip-footer N") as string },
        { line: 4, hint: "--skip-footer 1 leaves out the last line; else complete the row" },
      ]);
    },
  );

  it("names the number of the lines at the end", async () => {
    const text = `${HEAD}A2;2;y\n\n(2 rows)\nextracted today\n`;
    const { problems } = await readTable(sourceOf(text, 1));
    for (const { hint } of problems.slice(1)) expect(hint).toContain("--skip-footer 2");
    expect(await readTable(sourceOf(text), { skipFooter: 2 })).toMatchObject({ problems: [] });
  });
});

describe("--short-rows", () => {
  it.each([
    ["reads what rows lack at their end as empty", "A2;2;y\nA3;3\nA4;\nA5;5;z\n", [2, 3, 4, 5, 6], []],
    ["leaves a row that is too wide", "A2;2;y\nA3;3;y;z\n", [2, 3], [4]],
    ["leaves what may be the rest of a neighbour", "A2;2;y\nthe rest\nA4;4;z\n", [2], [3, 4, 5]],
    ["leaves a last row that may have been cut", "A2;2\nA3;3", [2, 3], [4]],
    ["leaves a quoted one too", 'A2;2\nA3;"3"', [2, 3], [4]],
    ["does not read cells of the row below", "A2;2;\nA3;3\nA4;4;;\n", [2, 3, 4], [5]],
  ])("%s", async (_, text, ...lines) => {
    expect(await linesOf(text, { shortRows: true })).toEqual(lines);
  });

  it("reads short rows beside a surplus that all others have", async () => {
    const { rows, problems } = await readTable(sourceOf(`cle;n;note\nA2;2;y;;\nA3;3\nA4;4;z;;\n`), {
      shortRows: true,
      headerLine: 1,
    });
    expect([rows, problems]).toEqual([
      [
        [2, "A2", "2", "y"],
        [3, "A3", "3"],
        [4, "A4", "4", "z"],
      ],
      [],
    ]);
  });
});

describe("quotes with no certain reading", () => {
  it.each([
    ["reject a row of two", 'A2;2;2"" x\nA3;"3";"y\nz"\nA4;4;=""\nA5;5;{"":""}\n', [2, 4, 6, 7], [3]],
    ["keep the lines after a doubled one", 'A2;a""b;"y\nz;1;2"\nA3;3;y\n', [2, 5], [4]],
    ["keep the lines after stray ones", 'A"2;a"b;"y\nz"\n\nA3;3;y\n', [2, 6], [3, 4]],
  ])("%s", async (_, text, ...lines) => {
    expect(await linesOf(text)).toEqual(lines);
  });

  it.each(SIZES)("give back the rows swallowed up to a stray quote, in chunks of %i bytes", async (size) => {
    const text = `cle;num_commande;b;c\nA0;1;2;3\nA1;"x;y;z\nA2;2;";b";z\nA3;3;b;c\n`;
    const { rows } = await readTable(sourceOf(text, size), { headerLine: 1 });
    const cells = rows.map(([line, ...row]) => `${line as number}:${row.join("|")}`);
    expect(cells).toEqual(["2:A0|1|2|3", "4:A2|2|;b|z", "5:A3|3|b|c"]);
  });
});
