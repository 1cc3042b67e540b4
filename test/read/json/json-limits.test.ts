import { describe, expect, it } from "vitest";
import { readJsonRows } from "../../../src/read/json/json-rows.ts";
import { CUTS, drain, failureOf, plainRows, read } from "./json-support.ts";

const LIMITS = { file: "x.json", maxRowBytes: 100_000 };

const WIDE = Array.from({ length: 2000 }, (_, i) => `"k${i}":1`).join(",");

/** `head`, then `repeated`, `times` times (default: without end). */
async function* stream(head: string, repeated: string, times = Infinity, tail = ""): AsyncGenerator<Buffer> {
  yield Buffer.from(head);
  const piece = Buffer.from(repeated.repeat(Math.ceil(40_000 / repeated.length)));
  for (let i = 0; i < times; i++) yield piece;
  yield Buffer.from(tail);
}

describe("the longest row", () => {
  const row = '{"a":"é345"}'; // 13 bytes

  it.each(CUTS)("takes a row of just that size and refuses a longer one, in chunks of %s", async (cut) => {
    const text = `[{"b":1},\n${row}]`;
    expect((await read(text, { cut, maxRowBytes: 13 })).rows).toHaveLength(2);
    const error = await failureOf(read(text, { cut, maxRowBytes: 12 }));
    expect(error).toMatchObject({ kind: "input", code: "too-long", place: { line: 2 } });
    expect(error.hint).toContain('"maxRowBytes" in the table');
  });

  it.each([
    ["a string in a row", '[\n{"a":"', "x"],
    ["a nested number in a row", '[\n{"a":[1', "0"],
    ["blanks in a row", '[\n{"a":', " "],
    ["members of a row", '[\n{"a":{"b":1', ',"c":2'],
    ["a string in place of a row", '[{"a":1},\n"', "x"],
    ["a name beside the rows", '{"data":[{"a":1}],\n"', "x"],
    ["a string beside the rows", '{"data":[{"a":1}],\n"n":"', "x"],
    ["a number beside the rows", '{"data":[{"a":1}],\n"n":1', "0"],
  ])("ends at once what never ends: %s", async (_what, head, repeated) => {
    const error = await failureOf(drain(readJsonRows(stream(head, repeated), "json", LIMITS)));
    expect(error).toMatchObject({ code: "too-long", place: { line: 2 } });
  });

  it.each([
    ["an array", "[1", ",2", "],"],
    ["an object of members", '{"a":1', ',"b":2', "},"],
    ["blanks", "", " ", "1,"],
  ])("does not concern %s beside the rows", async (_what, head, repeated, tail) => {
    const chunks = (): AsyncIterable<Buffer> =>
      stream(`{"meta":${head}`, repeated, 10, `${tail}"data":[{"a":1}]}`);
    expect(plainRows(await drain(readJsonRows(chunks(), "json", { ...LIMITS, jsonPath: "data" })))).toEqual([
      ["#1"],
    ]);
  });

  it("ends an endless string that stands for the whole file", async () => {
    for (const format of ["json", "ndjson"] as const)
      expect((await failureOf(drain(readJsonRows(stream('"', "x"), format, LIMITS)))).code).toBe("too-long");
  });
});

describe("columns", () => {
  it("are at most 2,000, so that names made of data do not fill the memory", async () => {
    expect((await read(`[{${WIDE}},\n{${WIDE}}]`)).columns).toHaveLength(2000);
    const error = await failureOf(read(`[{${WIDE}},\n{"more":1}]`));
    expect(error).toMatchObject({ kind: "input", code: "too-many-columns", place: { line: 2 } });
  });

  it("have names of at most 1 MiB together", async () => {
    const rows = Array.from({ length: 12 }, (_, i) => `{"${String(i).padStart(100_000, "x")}":1}`);
    expect((await failureOf(read(rows.join("\n"), { format: "ndjson" }))).code).toBe("too-many-columns");
  });
});

it("hands out long rows in smaller chunks", async () => {
  const row = `{"a":"${"x".repeat(700_000)}"}`;
  const pass = await read(`[${Array.from({ length: 9 }, () => row).join(",")}]`);
  expect(pass.chunkSizes).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
});

it.each([
  ["string", '"', "x", '"'],
  ["number", "-0.", "1", "e5"],
])(
  "reads a long %s in many pieces as fast as in few",
  async (_, before, repeated, after) => {
    const value = `${before}${repeated.repeat(8_000_000)}${after}`;
    const { rows } = await read(`[{"a":${value}}]`, { cut: 64, maxRowBytes: 10_000_000 });
    expect(rows).toHaveLength(1);
  },
  20_000,
);

it("hands on few rows at a time where each may have many cells", async () => {
  const { chunkSizes, rows } = await read(`[{${WIDE}}${',{"k3":2}'.repeat(2000)}]`);
  expect(rows.at(-1)?.cells).toHaveLength(4);
  expect(Math.max(...chunkSizes)).toBeLessThan(70);
});
