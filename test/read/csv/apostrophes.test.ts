import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTable, sourceOf } from "../chunks.ts";

type Line = (at: number) => string;

/** The rows of a table with this many lines, without line numbers, or the error. */
async function readAs(header: string, line: Line, count: number): Promise<unknown> {
  const rows = Array.from({ length: count }, (_, at) => line(at));
  const text = [header, ...rows].join("\n");
  return readTable(sourceOf(text)).then(
    (table) => table.rows.map(([, ...cells]) => cells),
    ({ code, hint }: { code: string; hint: string }) => ({ code, hint }),
  );
}

const COUNTS = [1, 2, 3, 4, 5, 20, 100];
const HEADER = "cle;note;num_commande";
const QUOTED_HEADER = "'cle';'note';'num_commande'";

describe.each(COUNTS)("in a table of %i rows", (count) => {
  it.each<[string, string, Line]>([
    ["all cells", QUOTED_HEADER, (at) => `'A${at}';'x ${at}';'${at}'`],
    ["all cells but the header's", HEADER, (at) => `'A${at}';'x';'${at}'`],
    ["all text", QUOTED_HEADER, (at) => `'A${at}';'x ${at}';${at}`],
    ["all text, NULL beside it", HEADER, (at) => `'A${at}';${at % 2 === 0 ? "'x'" : "NULL"};${at}`],
    ["all text of a table with a bare key", HEADER, (at) => `${at};'x';${at}`],
    ["all text, with titles above", `Export;;\n\n${QUOTED_HEADER}`, (at) => `'A${at}';'x';${at}`],
    ["one column where other text is bare", HEADER, (at) => `A${at};'x ${at}';${at}`],
    ["keys, beside a delimiter", HEADER, (at) => `'A${at}';${at % 2 === 0 ? "'x;y'" : "'x'"};${at}`],
  ])("apostrophes around %s are asked about, never taken for quotes", async (_, header, line) => {
    expect(await readAs(header, line, count)).toEqual({
      code: "open-quote",
      hint: `--quote "'" reads them as quotes, --quote '"' as text`,
    });
  });

  it.each<[string, Line]>([
    ["before digits", (at) => `A${at};x;'0055${at}`],
    ["inside text", (at) => `A${at};l'avoir d'Anne;${at}`],
    ["before words", (at) => `A${at};'s avonds;${at}`],
  ])("apostrophes %s are text", async (_, line) => {
    const rows = Array.from({ length: count }, (__, at) => line(at).split(";"));
    expect(await readAs(HEADER, line, count)).toEqual(rows);
  });
});

it("apostrophes around one cell of a column of many are text", async () => {
  const line: Line = (at) => `A${at};${at === 7 ? "'x'" : "x"};${at}`;
  expect(await readAs(HEADER, line, 20)).toContainEqual(["A7", "'x'", "7"]);
});

it("apostrophes mean the same in a row as in as many rows like it as there are", async () => {
  const cell = fc.constantFrom("'x'", "x", "'12'", "12", "", "'s", "NULL", "l'x");
  await fc.assert(
    fc.asyncProperty(cell, cell, fc.integer({ min: 2, max: 40 }), async (one, other, count) => {
      const line: Line = () => `A;${one};${other}`;
      const [alone, many] = [await readAs(HEADER, line, 1), await readAs(HEADER, line, count)];
      expect(many).toEqual(Array.isArray(alone) ? Array<unknown>(count).fill(alone[0]) : alone);
    }),
  );
});

it("apostrophes around a cell with a delimiter in it make a row that is too wide", async () => {
  const { rows, problems } = await readTable(sourceOf(`${HEADER}\nA1;x;1\nA2;'x;y';2\n`));
  expect([rows.map(([, key]) => key), problems.map(({ line }) => line)]).toEqual([["A1"], [3]]);
});
