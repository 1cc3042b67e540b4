import { describe, expect, it } from "vitest";
import type { ReadOptions } from "../../../src/read/read-options.ts";
import { readTable, sourceOf } from "../chunks.ts";

const SIZES = [0, 1, 2, 7];
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

  it.each(["(2 rows)", "\u001a", "Extraction du 05/08/2016"])(
    "names --skip-footer 1 where the last line is %j",
    async (last) => {
      for (const size of SIZES) {
        for (const end of ["", "\n", "\n;;\n"]) {
          const { problems } = await readTable(sourceOf(`${HEAD}A2;2;y\n${last}${end}`, size));
          expect(problems.map(({ line }) => line)).toEqual([3, 4]);
          expect(problems[1]!.hint).toBe("--skip-footer 1 leaves out the last line; else complete the row");
          expect(problems[0]!.hint).toContain("--skip-footer N");
        }
      }
    },
  );

  it("names the number of the lines at the end", async () => {
    const text = `${HEAD}A2;2;y\n\n(2 rows)\nextracted today\n`;
    for (const size of SIZES) {
      const { problems } = await readTable(sourceOf(text, size));
      for (const { hint } of problems.slice(size === 0 ? 0 : 1)) expect(hint).toContain("--skip-footer 2");
      expect(await readTable(sourceOf(text, size), { skipFooter: 2 })).toMatchObject({ problems: [] });
    }
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
