import { describe, expect, it } from "vitest";
import { detectJson } from "../../../src/read/json/json-rows.ts";
import { CUTS, failureOf, plainRows, read, readFixture } from "./json-support.ts";

const MEMBERS = "the members of the file are";

describe("--json-path", () => {
  it.each([
    ["a member", "data", '{"others":[{"e":1}],"data":[{"a":1}]}'],
    ["a member of a member", "r.i", '{"i":[{"e":1}],"r":{"x":{"i":[{"e":2}]},"i":[{"a":1}]}}'],
    ["a name with a dot", "v1.data", '{"v1":{"x":[{"e":1}]},"v1.data":[{"a":1}]}'],
    ["a name with an escape", "dé", String.raw`{"d\u00e9":[{"a":1}]}`],
    ["an empty name", "", '{"":[{"a":1}],"x":[{"e":1}]}'],
  ])("leads to %s", async (_what, jsonPath, text) => {
    for (const cut of CUTS) {
      const pass = await read(text, { jsonPath, cut });
      expect([pass.columns, plainRows(pass)]).toEqual([["a"], [["#1"]]]);
    }
  });

  it.each([
    ["nothing", "orders", '{"data":[],"meta":{"orders":[]}}', `${MEMBERS} "data", "meta"`],
    [
      "nothing deeper",
      "meta.orders",
      '{"orders":[],"meta":{"n":1},"z":2}',
      `${MEMBERS} "orders", "meta", "z"`,
    ],
    ["a string", "data", '{"data":"x"}', undefined],
    ["an array on the way", "data.items", '{"data":[{"items":[]}]}', undefined],
    ["a file that is an array", "data", '[{"a":1}]', "leave the option out"],
  ])("is refused when it leads to %s", async (_what, jsonPath, text, hint) => {
    const error = await failureOf(read(text, { jsonPath }));
    expect(error).toMatchObject({ kind: "input", code: "json-path", hint });
    expect(error.message).toContain(`--json-path ${jsonPath}`);
  });

  it("refuses an array whose first element is no object", async () => {
    const error = await failureOf(read('{"data":[1]}', { jsonPath: "data" }));
    expect(error.code).toBe("json-not-records");
  });

  it("checks the syntax of what it passes by, before and after", async () => {
    const before = await failureOf(read('{"x":[1,],"data":[{"a":1}]}', { jsonPath: "data" }));
    const after = await failureOf(read('{"data":[{"a":1}],"x":[1,]}', { jsonPath: "data" }));
    expect([before.place?.column, after.place?.column]).toEqual([9, 26]);
  });
});

describe("an object that holds several arrays", () => {
  it("is refused with a ready option for each, empty ones too", async () => {
    const error = await failureOf(read(readFixture("several-arrays.json")));
    expect(error.code).toBe("json-places");
    expect(error.message).toContain('"orders" (1 object), "customers" (1 object)');
    expect(error.hint).toBe(
      "--json-path orders or --json-path customers sends the records in it; or --format ndjson --drop orders --drop customers sends the object as one record",
    );
  });

  it("is refused with an empty one before or behind the rows: tomorrow it may be the other way round", async () => {
    for (const text of ['{"data":[],"orders":[{"a":1}]}', '{"data":[{"a":1}],"others":[]}'])
      expect((await failureOf(read(text))).code).toBe("json-places");
  });

  it("is refused when the rows lie deeper, naming the way", async () => {
    const error = await failureOf(read(readFixture("deeper-array.json")));
    expect(error.code).toBe("json-places");
    expect(error.hint).toContain("--json-path result.items");
  });

  it("is refused when the same array is given twice", async () => {
    const text = '{"data":[{"a":1}],"data":[{"a":2}]}';
    expect((await failureOf(read(text))).code).toBe("json-member-twice");
    expect((await failureOf(read(text, { jsonPath: "data" }))).code).toBe("json-member-twice");
  });

  it("is one row when the only array lies more than 8 levels down", async () => {
    const nest = (levels: number): string => `${'{"a":'.repeat(levels)}[{"b":1}]${"}".repeat(levels)}`;
    expect(detectJson(Buffer.from(nest(8)))).toBe("ndjson");
    expect((await failureOf(read(nest(7)))).hint).toContain("--json-path a.a.a.a.a.a.a");
  });

  it("quotes a name for the shell", async () => {
    const error = await failureOf(read(`{"l'été":[{"a":1}],"b":[{"a":1}]}`));
    expect(error.hint).toContain(`--json-path "l'été" or`);
  });
});
