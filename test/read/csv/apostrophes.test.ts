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
  it.each<[string, string, Line, Line]>([
    ["all cells", QUOTED_HEADER, (at) => `'A${at}';'x ${at}';'${at}'`, (at) => `A${at};x ${at};${at}`],
    ["all cells but the header's", HEADER, (at) => `'A${at}';'x';'${at}'`, (at) => `A${at};x;${at}`],
    ["all text", QUOTED_HEADER, (at) => `'A${at}';'x ${at}';${at}`, (at) => `A${at};x ${at};${at}`],
    ["all text, NULL beside it", HEADER, (at) => `'A${at}';'x';NULL`, (at) => `A${at};x;NULL`],
    ["all text of a table with a bare key", HEADER, (at) => `${at};'x';${at}`, (at) => `${at};x;${at}`],
    [
      "all text, with titles above",
      `Export;;\n\n${QUOTED_HEADER}`,
      (at) => `'A${at}';'x';${at}`,
      (at) => `A${at};x;${at}`,
    ],
  ])("apostrophes around %s are quotes", async (_, header, line, expected) => {
    const rows = Array.from({ length: count }, (__, at) => expected(at).split(";"));
    expect(await readAs(header, line, count)).toEqual(rows);
  });

  it.each<[string, Line]>([
    ["before digits", (at) => `A${at};x;'0055${at}`],
    ["inside text", (at) => `A${at};l'avoir d'Anne;${at}`],
    ["before words", (at) => `A${at};'s avonds;${at}`],
  ])("apostrophes %s are text", async (_, line) => {
    const rows = Array.from({ length: count }, (__, at) => line(at).split(";"));
    expect(await readAs(HEADER, line, count)).toEqual(rows);
  });

  it("apostrophes around all cells of one column are asked about where other text is bare", async () => {
    expect(await readAs(HEADER, (at) => `A${at};'x ${at}';${at}`, count)).toEqual({
      code: "open-quote",
      hint: `--quote "'" reads them as quotes, --quote '"' as text`,
    });
  });
});

it("apostrophes around one cell of a column of many are text", async () => {
  const line: Line = (at) => `A${at};${at === 7 ? "'x'" : "x"};${at}`;
  expect(await readAs(HEADER, line, 20)).toContainEqual(["A7", "'x'", "7"]);
});

it("apostrophes mean the same in a row as in as many rows like it as there are", async () => {
  const cell = fc.constantFrom("'x'", "x", "'12'", "12", "", "'s", "NULL", "'a;b'", "l'x");
  await fc.assert(
    fc.asyncProperty(cell, cell, fc.integer({ min: 2, max: 40 }), async (one, other, count) => {
      const line: Line = () => `A;${one};${other}`;
      const [alone, many] = [await readAs(HEADER, line, 1), await readAs(HEADER, line, count)];
      const expected = Array.isArray(alone)
        ? Array.from({ length: count }, () => alone[0] as unknown)
        : alone;
      expect(many).toEqual(expected);
    }),
  );
});
