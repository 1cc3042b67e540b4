import { describe, expect, it } from "vitest";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { useFixture } from "./inspect.ts";
import { readTable, type ReadTable, sourceOf } from "./chunks.ts";

const readFixture = (name: string, options: ReadOptions = {}): Promise<ReadTable> =>
  useFixture(name, (source) => readTable(source, options));

describe("rows of a CSV", () => {
  it.each([
    ["mixed-line-ends.csv", {}, "2 A1;Ecran|3 A2;Clavier|4 A3;deux\r\nlignes|6 A4;Souris"],
    ["empty-surplus.csv", {}, "2 A1;551035|3 A2;551036"],
    ["apostrophe-quote.csv", { quote: "'" }, "2 A1;Ecran; large|3 A2;l'ecran"],
    ["cp850.csv", { encoding: "cp850" }, "2 A1;Clé à revoir"],
    ["comment-lines.csv", { comment: "#" }, "4 A1;Ecran #1|6 A3;Souris"],
    ["no-header.csv", { header: false }, "1 1;551035;05/07/2016|2 2;551036;06/07/2016"],
    ["decimal-comma.csv", { skipLines: 1, header: false }, "2 A1;Ecran;1,50|3 A2;Clavier;2,75"],
    ["totals-line.csv", { skipFooter: 1 }, "2 A1;Ecran;100|3 A2;Clavier;20"],
    ["blank-after-quote.csv", {}, "2 A1;Ecran|3 A2;Clavier|4 A3;Souris"],
    ["header-only.csv", { headerLine: 1 }, ""],
  ] as const)("of %s with %j are read with their lines", async (file, options, rows) => {
    const table = await readFixture(file, options);
    expect(table.rows.map(([line, ...cells]) => `${line as number} ${cells.join(";")}`).join("|")).toBe(rows);
    expect(table.problems).toEqual([]);
  });

  it.each([
    ["ragged-rows.csv", [2, 5], "3: 2 cells, the header has 3|4: 4 cells, the header has 3"],
    ["uneven-surplus.csv", [3, 4], "2: 3 cells, the header has 2"],
    ["unclosed-quote.csv", [2, 4], "3: never closed"],
    ["text-after-quote.csv", [2, 4], "3: text follows"],
    ["odd-quotes.csv", [2, 4], "3: two or more cells"],
    ["blank-before-quote.csv", [2, 4], "3: there is a blank before"],
    ["totals-line.csv", [2, 3], "4: 2 cells"],
  ])("of %s at fault are problems, and the others are read", async (file, lines, faults) => {
    const { rows, problems } = await readFixture(file);
    expect(rows.map(([at]) => at)).toEqual(lines);
    const told = faults.split("|").map((fault) => fault.split(": "));
    expect(problems).toMatchObject(
      told.map(([line, reason]) => ({ line: Number(line), reason: expect.stringContaining(reason!) })),
    );
  });

  it("hold filled cells to the surplus that the first megabyte settled", async () => {
    const text = `a;b\n${"1;2;\n".padStart(200, "0").repeat(6_000)}3;4;x\n5;6\n`;
    const { inspection, rows, problems } = await readTable(sourceOf(text, 65_536));
    expect(inspection.places.surplus).toBe(1);
    expect(rows).toHaveLength(6_000);
    expect(problems).toEqual([
      expect.objectContaining({ line: 6_002, column: 3, value: "x" }),
      expect.objectContaining({ line: 6_003, reason: expect.stringContaining("2 cells") }),
    ]);
  });

  it("are counted for --skip-footer without blank lines, and unreadable ones count", async () => {
    const text = 'a;b\n1;2\n3;4\nTotal;"6\n\nEdited today\n\n';
    expect(await readTable(sourceOf(text, 3), { skipFooter: 2 })).toMatchObject({
      rows: [
        [2, "1", "2"],
        [3, "3", "4"],
      ],
      problems: [],
    });
  });
});

it.each(['[{"cle":"A1","libelle":"x"}]', '{"cle":"A1","libelle":"x"}\n'])(
  "JSON is read by its own reader: %j",
  async (text) => {
    const { columns, rows } = await readTable(sourceOf(text));
    expect([columns, rows]).toEqual([["cle", "libelle"], [[1, "A1", "x"]]]);
  },
);
