import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectJson } from "../../../src/read/json/json-rows.ts";
import { CUTS, failureOf, plainRows, read, readFixture } from "./json-support.ts";

/** The members of a record as --flatten names them; those that hold nothing are none. */
function flattened(record: object, path: readonly string[] = []): [string, unknown][] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
    const names = [...path, name];
    if (value === null || (Array.isArray(value) && value.length === 0)) return [];
    if (Array.isArray(value)) return [[names.join("_"), []]];
    if (typeof value === "object") return flattened(value, names);
    return [[names.join("_"), value]];
  });
}

describe("--flatten", () => {
  const name = fc.constantFrom("a", "b", "c");
  const record = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<unknown>("x", null, true, [], [{ a: "1" }]),
      fc.dictionary(name, tie("value"), { maxKeys: 3 }),
    ),
  })).value;

  it.each(CUTS)("gives the members of objects to the record, in chunks of %s bytes", async (cut) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(name, record, { maxKeys: 3 }), { minLength: 1 }),
        async (drawn) => {
          const records = drawn.map((one) => ({ cle: "F1", ...one }));
          const how = { flatten: [], cut };
          const byName = async (text: string, format: "json" | "ndjson") => {
            const pass = await read(text, { ...how, format });
            return plainRows(pass).map((cells) => {
              const members = cells.map((cell, at) => [pass.columns[at]!, cell] as const);
              return Object.fromEntries(members.filter(([, cell]) => cell !== undefined && cell !== null));
            });
          };
          const rows = await byName(JSON.stringify(records), "json");
          expect(rows).toEqual(records.map((one) => Object.fromEntries(flattened(one))));
          const lines = records.map((one) => JSON.stringify(one)).join("\n");
          expect(await byName(lines, "ndjson")).toEqual(rows);
        },
      ),
      { numRuns: cut === 0 ? 100 : 30 },
    );
  });

  it.each(["adr", "customer_adr", "customer.adr"])("leaves %s whole where it is dropped", async (whole) => {
    const pass = await read('[{"adr":{"a":1},"customer":{"adr":{"b":1},"n":"x"}}]', { flatten: [whole] });
    const names = whole === "adr" ? ["adr", "customer_adr_b"] : ["adr_a", "customer_adr"];
    expect(pass.columns).toEqual([...names, "customer_n"]);
  });

  it("takes an empty array for an object without members", async () => {
    const [filled, empty] = ['{"cle":"F1","adr":{"ville":"x"}}', '{"cle":"F2","adr":[ ]}'];
    for (const text of [`[${empty},${filled}]`, `[${filled},${empty}]`]) {
      const { columns, rows } = await read(text, { flatten: [] });
      expect([columns, rows.flatMap(({ cells }) => cells)]).toEqual([
        ["cle", "adr_ville"],
        expect.arrayContaining(["F1", "x", "F2"]),
      ]);
    }
  });

  it("keeps the column of an empty array that an option names, or that has one", async () => {
    const text = '[{"cle":"F1","adr":[],"tags":[],"note":"x"},{"cle":"F2","note":[]}]';
    const pass = await read(text, { flatten: ["tags"], declared: ["adr"] });
    expect(pass.columns).toEqual(["cle", "adr", "tags", "note"]);
    expect(plainRows(pass)).toEqual([
      ["F1", null, null, "x"],
      ["F2", undefined, undefined, null],
    ]);
  });

  it.each([
    ["of the record", '{"a_b":"1","a":{"b":"2"}}'],
    ["of the object", '{"a":{"b":"1"},"a":{"c":"2"}}'],
    ["of the object, one of them empty", '{"a":[],"a":{"c":"2"}}'],
  ])("rejects a row with two members %s that have one name then", async (_, text) => {
    expect(await read(`[${text}]`, { flatten: [] })).toMatchObject({ rows: [], problems: [{ line: 1 }] });
  });
});

const MEMBERS = "the members of the file are";

describe("--json-path", () => {
  it.each(CUTS)("leads to one record and to many, line by line, in chunks of %s bytes", async (cut) => {
    const how = { format: "ndjson", cut } as const;
    const one = '{"n":1,"order":{"cle":"F1"},"m":{"order":[{"cle":"X"}]}}\n{"order":{"cle":"F2"}}\n';
    const many =
      '{"p":{"data":[{"cle":"F1"},{"cle":"F2"}]},"n":1}\n{"p":{"data":[]}}\n{"p":{"data":[{"cle":"F3"}]}}';
    expect(plainRows(await read(one, { ...how, jsonPath: "order" }))).toEqual([["F1"], ["F2"]]);
    expect(plainRows(await read(many, { ...how, jsonPath: "p.data" }))).toEqual([["F1"], ["F2"], ["F3"]]);
  });

  it("leads to one record in a file of one object", async () => {
    const text = '{"n":{"order":{"cle":"X"}},"order":{"cle":"F1","adr":{"ville":"b"}},"z":1}';
    expect(plainRows(await read(text, { jsonPath: "order", flatten: [] }))).toEqual([["F1", "b"]]);
  });

  it("stops at a line in which it leads nowhere", async () => {
    const reading = read('{"data":[{"cle":"F1"}]}\n{"x":1}\n', { format: "ndjson", jsonPath: "data" });
    await expect(reading).rejects.toMatchObject({ code: "json-path", place: { line: 2 } });
  });

  it.each([
    ["a member", "data", '{"others":[{"e":1}],"data":[{"a":1}]}'],
    ["a member of a member", "r.i", '{"i":[{"e":1}],"r":{"x":{"i":[{"e":2}]},"i":[{"a":1}]}}'],
    ["a name with a dot", "v1.data", '{"v1":{"x":[{"e":1}]},"v1.data":[{"a":1}]}'],
    ["a name with an escape", "dé", String.raw`{"d\u00e9":[{"a":1}]}`],
    ["an empty name", "", '{"":[{"a":1}],"x":[{"e":1}]}'],
  ])("leads to %s", async (_what, jsonPath, text) => {
    const pass = await read(text, { jsonPath });
    expect([pass.columns, plainRows(pass)]).toEqual([["a"], [["#1"]]]);
  });

  it.each([
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
