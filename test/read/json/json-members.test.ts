import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitMembers } from "../../../src/read/json/json-members.ts";

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
