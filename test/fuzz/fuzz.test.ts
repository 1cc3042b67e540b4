import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixture } from "../support/fixture.ts";
import { buildBytes, type FuzzCase } from "./fuzz-case.ts";
import { judgeCase, judgeMutated } from "./judge-case.ts";
import { judgeCsv } from "./judge-csv.ts";
import { judgeJson } from "./judge-json.ts";
import { judgeLength } from "./judge-length.ts";
import { loadBases } from "./judge-case.ts";
import { readTable, sourceOf } from "../read/chunks.ts";
import { draws } from "../support/draws.ts";

const BASES = loadBases(fixture(""));
const PLAIN = { encoding: "as it is", packing: "plain" } as const;
const UNCHANGED: FuzzCase = { base: "", edits: [], ...PLAIN, chunk: 7, options: {} };

describe("mutated files", () => {
  it("are read as they are or refused, however they are cut", async () => {
    expect(BASES.length).toBeGreaterThan(50);
    await fc.assert(judgeMutated(BASES), draws(80));
  });

  it.each(BASES)("hold when nothing is changed: $name", async ({ bytes }) => {
    await expect(judgeCase(UNCHANGED, bytes)).resolves.toBeUndefined();
  });

  it("are read in flat memory, however long", async () => {
    const base = Buffer.from('cle;libelle\nA1;"x\ny"\n');
    await expect(judgeLength(UNCHANGED, base)).resolves.toBeUndefined();
  });

  it("differ from what they were", () => {
    const edits = [{ kind: "insert", place: 5_000, length: 1, token: ";" }] as const;
    expect(buildBytes({ ...UNCHANGED, edits }, Buffer.from("ab")).stored.toString()).toBe("a;b");
  });
});

describe("the judge of CSV", () => {
  const text = 'cle;note\nA1;"x ""y"" z"\nA2;5"\n\nA3;last\n';

  it.each([
    ["a cell that is not the file's", (rows: unknown[][]) => (rows[0]![2] = "x")],
    ["a wrong line", (rows: unknown[][]) => (rows[1]![0] = 4)],
    ["a row that is missing", (rows: unknown[][]) => rows.splice(1, 1)],
    ["a last row that is missing", (rows: unknown[][]) => rows.pop()],
    ["a row twice", (rows: unknown[][]) => rows.push(rows[2]!)],
  ])("sees %s", async (_, spoil) => {
    const table = await readTable(sourceOf(text));
    expect(judgeCsv(text, table, {})).toBeUndefined();
    const rows = table.rows.map((row) => [...row]);
    spoil(rows);
    expect(judgeCsv(text, { ...table, rows }, {})).toBeDefined();
  });
});

describe("the judge of JSON", () => {
  it.each([
    ['[{"a":1.0,"b":"x"},{"a":null}]', "json"],
    ['{"a":1.0,"b":"x"}\n{"a":null}', "ndjson"],
    ['{"count":2,"rows":[{"a":1.0,"b":"x"},{"a":null}]}', "json"],
    ['{"rows":{"a":1.0,"b":"x"},"more":[{"a":0}]}\n{"rows":[{"a":null}]}', "ndjson", "rows"],
    [Array.from({ length: 100 }, (_, at) => `{"rows":{"${at}":${at}}}`).join("\n"), "ndjson", "rows"],
    ['{"more":[{"a":0},{"a":0}],"rows":[{"a":1.0,"b":"x"},{"a":null}]}', "json", "rows"],
  ] as const)("sees what is not in %#", async (text, format, member?: string) => {
    const options = { format, ...(member && { jsonPath: member }) };
    const { rows, columns } = await readTable(sourceOf(text), options);
    const cells = rows.map(([, ...row]) => row as never[]);
    const judge = (list: readonly never[][]): string | undefined =>
      judgeJson(text, format, { columns, rows: list, problems: [] }, member);
    expect(judge(cells)).toBeUndefined();
    expect(judge(cells.slice(1))).toBeDefined();
    expect(judge([cells[1]!, cells[0]!])).toBeDefined();
    expect(judge([["1" as never, "x" as never], cells[1]!])).toBeDefined();
    expect(judgeJson(`${text},`, format, { columns, rows: cells, problems: [] }, member)).toBeDefined();
  });
});
