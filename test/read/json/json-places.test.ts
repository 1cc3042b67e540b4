import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectJson } from "../../../src/read/json/json-rows.ts";
import { CUTS, failureOf, plainRows, read } from "./json-support.ts";

const RECORD = '"cle":"F1","num_commande":"551035"';
const LINES = '"lines":[{"cle":"L1"},{"cle":"L2"}]';

/** The object written over several lines. */
const indented = (text: string): string => JSON.stringify(JSON.parse(text), undefined, 2);

describe("an object with an array and a member that is of no envelope", () => {
  it.each([
    ["before the array", `{${RECORD},${LINES}}`, '"lines" (2 objects); beside them is "cle"'],
    ["behind the array", `{${LINES},${RECORD}}`, '"lines" (2 objects); beside them is "cle"'],
    ["beside an empty array", `{${RECORD},"tags":[]}`, '"tags" (empty); beside them is "cle"'],
    ["that is an object", `{"order":{${RECORD}},${LINES}}`, '"lines" (2 objects); beside them is "order"'],
    ["that is null", `{"customer":null,${LINES}}`, 'beside them is "customer"'],
    ["that is an array of other values", `{"ids":[1],${LINES}}`, 'beside them is "ids"'],
    ["that is an envelope in an object", `{"meta":{"total":2},${LINES}}`, 'beside them is "meta"'],
    ["that counts too few", `{"total":1,${LINES}}`, "beside them is the number 1"],
    ["that counts in words", `{"count":"two",${LINES}}`, 'beside them is "count"'],
    ["that is an array too", `{${LINES},"other":[{"a":1}]}`, '"lines" (2 objects), "other" (1 object)'],
    ["that holds one deeper", `{${LINES},"a":{"b":[{"c":1}]}}`, '"lines" (2 objects), "a.b" (1 object)'],
  ])("is a question that lists the paths with counts: %s", async (_, text, told) => {
    for (const form of [text, indented(text)]) {
      expect(detectJson(Buffer.from(form))).toBe("json");
      for (const cut of CUTS) {
        const error = await failureOf(read(form, { cut }));
        expect(error).toMatchObject({ kind: "input", code: "json-places" });
        expect(error.message).toContain(told);
        expect(error.hint).toMatch(
          /^--json-path (?:lines|tags).* sends the records in it; or --format ndjson/,
        );
      }
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

  it("is a row where the format says so, as it is with another below", async () => {
    const line = `{${RECORD},${LINES}}\n`;
    expect(plainRows(await read(line, { format: "ndjson" }))).toEqual([["F1", "551035", []]]);
    expect((await read(line + line, { format: "ndjson" })).rows).toHaveLength(2);
  });
});

describe("an object without an array of objects", () => {
  it.each([
    `{${RECORD}}`,
    `{${RECORD},"tags":["a"]}`,
    `{"order":{${RECORD}}}`,
    '{"1001":{"cle":"C1"},"1002":{"cle":"C2"}}',
    '{"values":[["cle","note"],["C1","x"]]}',
  ])("is one record, on one line as over several: %s", async (text) => {
    for (const form of [text, indented(text)]) {
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
