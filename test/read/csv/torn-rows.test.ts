import { describe, expect, it } from "vitest";
import { readTable, sourceOf } from "../chunks.ts";

const SIZES = [0, 1, 2, 7];
const HEAD = "cle;num_commande;note\nA1;1;x\n";

async function linesOf(text: string, size: number): Promise<unknown> {
  const { rows, problems } = await readTable(sourceOf(text, size), { headerLine: 1 });
  return { rows: rows.map(([line]) => line), problems: problems.map(({ line }) => line) };
}

describe.each(SIZES)("a row torn by a line end without quotes, in chunks of %i bytes", (size) => {
  it("is withheld if the rest of its last cell is below", async () => {
    expect(await linesOf(`${HEAD}A2;2;first\nsecond\nA3;3;y\nA4;4;z\n`, size)).toEqual({
      rows: [2, 6],
      problems: [3, 4, 5],
    });
  });

  it("is withheld if the beginning of its key is above", async () => {
    expect(await linesOf(`${HEAD}\nA\n2;2;y\nA3;3;z\n`, size)).toEqual({ rows: [2, 6], problems: [4, 5] });
  });

  it("is withheld where the rest of its last cell holds the delimiter", async () => {
    expect(await linesOf(`${HEAD}A2;2;first\nsecond;third\nA3;3;y\nA4;4;z\n`, size)).toEqual({
      rows: [2, 6],
      problems: [3, 4, 5],
    });
  });

  it("is not suspected beside a row of its own that lacks a cell", async () => {
    expect(await linesOf(`${HEAD}A2;2;y\nA3;3\nA4;4;z\n`, size)).toEqual({ rows: [2, 3, 5], problems: [4] });
  });

  it("is not suspected above a footer that is left out", async () => {
    const { rows, problems } = await readTable(sourceOf(`${HEAD}A2;2;y\nend of the export\n`, size), {
      skipFooter: 1,
    });
    expect(rows.map(([line]) => line)).toEqual([2, 3]);
    expect(problems).toEqual([]);
  });

  it.each(["(2 rows)", "\u001a", "Extraction du 05/08/2016"])(
    "names --skip-footer 1 where the last line is %j",
    async (last) => {
      for (const end of ["", "\n", "\n;;\n"]) {
        const { problems } = await readTable(sourceOf(`${HEAD}A2;2;y\n${last}${end}`, size));
        expect(problems.map(({ line }) => line)).toEqual([3, 4]);
        expect(problems[1]!.hint).toBe("--skip-footer 1 leaves out the last line; else complete the row");
        expect(problems[0]!.hint).toContain("--skip-footer N");
      }
    },
  );

  it("names the number of the lines at the end", async () => {
    const text = `${HEAD}A2;2;y\n\n(2 rows)\nextracted today\n`;
    const { problems } = await readTable(sourceOf(text, size));
    for (const { hint } of problems.slice(size === 0 ? 0 : 1)) expect(hint).toContain("--skip-footer 2");
    expect(await readTable(sourceOf(text, size), { skipFooter: 2 })).toMatchObject({ problems: [] });
  });

  it("is not suspected across a blank line", async () => {
    expect(await linesOf(`${HEAD}A2;2;y\n\nend of the export\n`, size)).toEqual({
      rows: [2, 3],
      problems: [5],
    });
  });
});

describe.each(SIZES)("quotes with no certain reading, in chunks of %i bytes", (size) => {
  it("are a reject where a cell holds doubled quotes and begins with none", async () => {
    expect(await linesOf(`${HEAD}A2;2;24"" screen\nA3;"3";"y\nz"\nA4;4;=""\nA5;5;{"a":""}\n`, size)).toEqual({
      rows: [2, 4, 6, 7],
      problems: [3],
    });
  });

  it("keep the line numbers after a doubled quote that a cell of several lines follows", async () => {
    expect(await linesOf(`${HEAD}A2;a""b;"y\nz;1;2"\nA3;3;y\n`, size)).toMatchObject({ rows: [2, 5] });
  });

  it("keep the line numbers after stray quotes that a cell of several lines follows", async () => {
    expect(await linesOf(`${HEAD}A"2;a"b;"y\nz"\n\nA3;3;y\n`, size)).toMatchObject({ rows: [2, 6] });
  });

  it("give back the rows that a quoted cell swallowed up to a stray quote", async () => {
    const text = `cle;num_commande;b;c\nA0;1;2;3\nA1;"x;y;z\nA2;2;";b";z\nA3;3;b;c\n`;
    const { rows } = await readTable(sourceOf(text, size), { headerLine: 1 });
    expect(rows).toEqual([
      [2, "A0", "1", "2", "3"],
      [4, "A2", "2", ";b", "z"],
      [5, "A3", "3", "b", "c"],
    ]);
  });
});
