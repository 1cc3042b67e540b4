import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectJson } from "../../../src/read/json/json-rows.ts";
import { failureOf, type Pass, plainRows, read } from "./json-support.ts";

const detect = (text: string): string | undefined => detectJson(Buffer.from(text));

describe("detectJson", () => {
  it.each([
    ["an array of objects", '\r\n [{"a":1}]', "json"],
    ["an empty array", "[]", "json"],
    ["an array that is cut off", '[{"a":"x', "json"],
    ["an array with an unquoted name", "[{cle: 1}]", "json"],
    ["an array with something behind it", '[{"a":1}] x', "json"],
    ["an object with an array that is cut off", '{"meta":{"n":1},"data":[{"a":', "json"],
    ["an object with an unquoted value", '{"a":x}', "json"],
    ["a bracket only", "{", "json"],
    ["one object a line", '{"a":1}\n{"a":2}\n', "ndjson"],
    ["one object a line, the second cut off", '{"a":1}\n{', "ndjson"],
    ["objects on several lines, one after the other", '{\n"a":1\n}\n{\n"a":2\n}', "ndjson"],
    ["a lone object on one line, with an array deeper inside", '{"a":1,"b":{"c":[1]}}\n', "ndjson"],
    ["an empty object", "{}", "ndjson"],
    ["nothing", "", undefined],
    ["a string", '"abc"', undefined],
    ["a header in brackets", "[id];[name]\n1;2", undefined],
    ["a header in braces", "{id};{name}\n1;2", undefined],
    ["empty braces", "{};x\n1;2", undefined],
    ["a CSV", "cle;num_commande\nC1;551035\n", undefined],
  ])("takes %s for what it is", (_what, text, format) => {
    expect(detect(text)).toBe(format);
  });

  it("says the same wherever a long sample is cut", () => {
    const ndjson = Buffer.from('{"cle":"é1","n":1.5,"t":true}\n'.repeat(3));
    const array = Buffer.from('[{"cle":"é1","n":1.5,"t":true}]');
    for (let end = 32; end <= ndjson.length; end++)
      expect(detectJson(ndjson.subarray(0, end))).toBe("ndjson");
    for (let end = 1; end <= array.length; end++) expect(detectJson(array.subarray(0, end))).toBe("json");
  });
});

/** Reads as the command does, with the format detected. */
function readFound(text: string, options: Parameters<typeof read>[1] = {}): Promise<Pass> {
  const format = detectJson(Buffer.from(text), options) ?? "json";
  return read(text, { format, ...options });
}

const forms = (text: string): string[] => [text, JSON.stringify(JSON.parse(text), undefined, 2)];

const ANSWERS = [
  ['{"error":"invalid_token","data":[]}', '"error": "invalid_token"'],
  ['{"data":[],"error":{"code":401}}', '"error"'],
  ['{"errors":["x"],"data":[]}', '"errors"'],
  ['{"data":[{"cle":"F1"}],"errors":[{"message":"x"}]}', '"errors"'],
  ['{"data":[],"exception":"Timeout"}', '"exception": "Timeout"'],
  ['{"success":false,"data":[{"cle":"F1"}]}', '"success": "false"'],
] as const;

describe("the answer of a service that failed", () => {
  it.each(ANSWERS)("is never an export: %s", async (text, told) => {
    for (const form of forms(text))
      for (const how of [{}, { cut: 1 }, { jsonPath: "data" }]) {
        const error = await failureOf(readFound(form, how));
        expect(error).toMatchObject({ kind: "input", code: "json-answer" });
        expect(error.message).toContain(`not an export: ${told}`);
        expect(error.hint).toContain("ask the service again");
      }
  });

  it("is one where no list of records is beside it, and where the path leads to null", async () => {
    expect((await failureOf(readFound('{"error":"invalid_token"}'))).code).toBe("json-answer");
    const text = '{"data":null,"errors":[{"message":"x"}]}';
    expect((await failureOf(readFound(text, { jsonPath: "data" }))).code).toBe("json-answer");
  });

  it.each([
    '{"errors":[],"data":[{"cle":"F1"}]}',
    '{"data":[{"cle":"F1"}],"error":null,"success":true}',
    '{"data":[{"cle":"F1"}],"error":false,"exception":""}',
    '{"errors":{},"error":0,"data":[{"cle":"F1"}]}',
  ])("is not seen where the member holds nothing: %s", async (text) => {
    expect((await readFound(text)).rows).toHaveLength(1);
  });

  it("is an export where the option of the hint says that the member is no failure", async () => {
    const text = '{"error":"late","data":[{"cle":"F1"}]}';
    const hint = "--type error=text, if the member is no failure";
    expect((await failureOf(readFound(text))).hint).toContain(hint);
    const declared = ["error"];
    expect((await failureOf(readFound(text, { declared }))).hint).toMatch(/^--json-path data sends/);
    expect((await readFound(text, { declared, jsonPath: "data" })).rows).toHaveLength(1);
  });

  it.each([
    [
      "among records",
      '{"cle":"F1"}\n{"error":"time-out","code":504}\n{"cle":"F2","error":"x"}\n',
      [1, 3],
      [2],
    ],
    ["where every row says so", '[{"error":"x","code":1},{"error":"y"}]', [], [1, 1]],
    ["by a record's own members", '{"data":[{"cle":"F1","status":"failed"}],"message":"1 order"}', [1], []],
  ])("is no row %s", async (_, text, rows, problems) => {
    const pass = await readFound(text);
    expect([pass.rows, pass.problems].map((all) => all.map(({ line }) => line))).toEqual([rows, problems]);
  });
});

const RECORD = '"cle":"F1","num_commande":"551035"';
const LINES = '"lines":[{"cle":"L1"},{"cle":"L2"}]';

describe("an object with an array and a member that is of no envelope", () => {
  it.each([
    ["before the array", `{${RECORD},${LINES}}`, '"lines" (2 objects); beside them is "cle"'],
    ["behind the array", `{${LINES},${RECORD}}`, '"lines" (2 objects); beside them is "cle"'],
    ["beside an empty array", `{${RECORD},"tags":[]}`, '"tags" (empty); beside them is "cle"'],
    ["that is null", `{"customer":null,${LINES}}`, 'beside them is "customer"'],
    ["that is an envelope in an object", `{"meta":{"total":2},${LINES}}`, 'beside them is "meta"'],
    ["that counts too few", `{"total":1,${LINES}}`, "beside them is the number 1"],
    ["that counts in words", `{"count":"two",${LINES}}`, 'beside them is "count"'],
    ["that is an array too", `{${LINES},"other":[{"a":1}]}`, '"lines" (2 objects), "other" (1 object)'],
    ["that holds one deeper", `{${LINES},"a":{"b":[{"c":1}]}}`, '"lines" (2 objects), "a.b" (1 object)'],
  ])("is a question that lists the paths with counts: %s", async (_, text, told) => {
    for (const form of forms(text)) {
      expect(detectJson(Buffer.from(form))).toBe("json");
      const error = await failureOf(read(form, { cut: 7 }));
      expect(error).toMatchObject({ kind: "input", code: "json-places" });
      expect(error.message).toContain(told);
      expect(error.hint).toMatch(/^--json-path (?:lines|tags).* sends the records in it; or --format ndjson/);
    }
  });

  it.each([`{${RECORD},${LINES}}`, `{${RECORD},"tags":[]}`])(
    "is one record where the array is dropped, as with a second one below: %s",
    (text) => {
      const [alone, withNext] = [Buffer.from(`${text}\n`), Buffer.from(`${text}\n${text}\n`)];
      expect([detectJson(alone), detectJson(withNext)]).toEqual(["json", "ndjson"]);
      expect(detectJson(alone, { dropped: ["lines", "tags"] })).toBe("ndjson");
      expect(detectJson(Buffer.from(text.replace("{", '{"_rejected_line":"1",')))).toBe("ndjson");
    },
  );
});

describe("an object without an array of objects", () => {
  it.each([
    `{${RECORD}}`,
    `{${RECORD},"tags":["a"]}`,
    '{"1001":{"cle":"C1"},"1002":{"cle":"C2"}}',
    '{"values":[["cle","note"],["C1","x"]]}',
  ])("is one record, on one line as over several: %s", async (text) => {
    for (const form of forms(text)) {
      expect(detectJson(Buffer.from(form))).toBe("ndjson");
      expect((await read(form, { format: "ndjson" })).chunkSizes).toEqual([1]);
    }
  });

  it("is no record where a service wrote all of its members", async () => {
    const text = '{"status":"ok","message":"no orders"}';
    expect(detectJson(Buffer.from(text))).toBe("json");
    expect(await failureOf(read(text))).toMatchObject({
      code: "json-not-records",
      message: expect.stringContaining('it holds no records: its members are "status", "message"'),
      hint: "--format ndjson, if the whole object is one record",
    });
  });
});

describe("the rule of envelopes", () => {
  const envelope = fc.constantFrom("page", "next", "has_more", "@odata.context", "status", "generated_at");
  const own = fc.constantFrom("cle", "num_commande", "customer", "ref", "montant", "Order No", "état");
  const single = fc.constantFrom<unknown>("x", 1, null, true, "");
  const members = (name: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>) =>
    fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 4 });
  const anything = fc.oneof(single, fc.constant({ a: 1 }), fc.constant([1]));
  const drawn = fc.record({
    around: members(envelope, single),
    record: members(own, anything),
    list: fc.array(fc.constant({ cle: "L1" }), { maxLength: 3 }),
    at: fc.nat(8),
    total: fc.nat(4),
    indent: fc.constantFrom(0, 2),
  });

  it("gives the rows of an array only where nothing else is beside it, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ around, record, list, at, total, indent }) => {
        const all: (readonly [string, unknown])[] = [...around, ...record, ["total", total]];
        all.splice(at % (all.length + 1), 0, ["lines", list]);
        const text = JSON.stringify(Object.fromEntries(all), undefined, indent);
        const isWrapper = record.length === 0 && total >= list.length;
        expect(detectJson(Buffer.from(text))).toBe("json");
        const told = isWrapper ? plainRows(await read(text)) : (await failureOf(read(text))).code;
        expect(told).toEqual(isWrapper ? list.map(() => ["L1"]) : "json-places");
      }),
    );
  });
});
