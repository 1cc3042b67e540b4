import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonValue, splitMembers } from "../../../src/read/json/json-members.ts";
import { draws } from "../../support/draws.ts";
import { parted } from "../../support/parted.ts";

describe("readJsonValue", () => {
  it("reads what JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readJsonValue(text, "c.json")).toEqual(JSON.parse(text));
      }),
    );
  });

  it("takes what JSON.parse takes, but for keys given twice", () => {
    const pieces = fc.constantFrom(...parted`{|}|[|]|,|:|"a"|"b"|1|-|01|true|"\\x"`, " ", "\n");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        const accepts = (parse: () => unknown): boolean => {
          try {
            parse();
            return true;
          } catch {
            return false;
          }
        };
        const isJson = accepts(() => JSON.parse(text));
        const isGivenTwice = /"a".*"a"|"b".*"b"/s.test(text);
        expect(accepts(() => readJsonValue(text, "c.json")) || (isJson && isGivenTwice)).toBe(isJson);
      }),
      draws(400),
    );
  });

  it.each([
    ["a trailing comma", '{\n  "tables": {},\n}', "3:1", 'expected a member name in " after the comma'],
    ["a comment", "{\n  // mine\n}", "2:3", 'expected a member name in " or }, found a comment'],
    ["a text after the end", "{} x", "1:4", "expected the end of the file, found x"],
    ["nothing", "", "1:1", "expected [ or {, found the end of the file"],
    ["endless nesting", "[".repeat(100_000), "1:513", "expected at most 512 levels"],
  ])("tells line and column of %s", (_, text, place, message) => {
    expect(() => readJsonValue(text, "c.json")).toThrow(`c.json:${place}: broken JSON: ${message}`);
  });

  it("tells line and column of a key given twice, with an escape too", () => {
    const twice = [
      ["2:2", '{"a": 1,\r\n "a": 2}'],
      ["1:10", '{"a": 1, "\\u0061": 2}'],
    ] as const;
    for (const [place, text] of twice)
      expect(() => readJsonValue(text, "c.json")).toThrow(`c.json:${place}: the key "a" is given twice`);
  });

  it("keeps a key that objects have by themselves, and leaves a byte order mark out", () => {
    const value = readJsonValue('\uFEFF{"__proto__": {"x": 1}}', "c.json") as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect("x" in value).toBe(false);
  });
});

describe("splitMembers", () => {
  it.each([
    ["{}", ""],
    ['{"a":1}', 'a "a":1'],
    ['{ "a" : "}{,\\"" ,\n\t"b":[1,{"c":2}] }', String.raw`a "a" : "}{,\""|b "b":[1,{"c":2}]`],
    [String.raw`{"\u0061":1,"a":2}`, String.raw`a "\u0061":1|a "a":2`],
  ])("cuts %s", (text, members) => {
    expect(
      splitMembers(text)
        .map(({ name, source }) => `${name} ${source}`)
        .join("|"),
    ).toBe(members);
  });

  it("loses nothing of any object, on one line", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 2), (object, indent) => {
        const text = JSON.stringify(object, undefined, indent);
        const members = splitMembers(text);
        expect(members.map(({ name }) => name)).toEqual(Object.keys(JSON.parse(text) as object));
        const joined = `{${members.map(({ source }) => source).join(",")}}`;
        expect(joined).not.toMatch(/[\r\n]/);
        expect(JSON.parse(joined)).toEqual(JSON.parse(text));
      }),
    );
  });
});
