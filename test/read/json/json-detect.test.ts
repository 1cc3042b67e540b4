import { describe, expect, it } from "vitest";
import { detectJson } from "../../../src/read/json/json-rows.ts";

const detect = (text: string): string | undefined => detectJson(Buffer.from(text));

describe("detectJson", () => {
  it.each([
    ["an array of objects", '\r\n [{"a":1}]', "json"],
    ["an empty array", "[]", "json"],
    ["an array that is cut off", '[{"a":"x', "json"],
    ["an array with an unquoted name", "[{cle: 1}]", "json"],
    ["an array of scalars", '["a", "b"]\n', "json"],
    ["an array with something behind it", '[{"a":1}] x', "json"],
    ["an object with an array", '{"data":[{"a":1}]}', "json"],
    ["an object with an array that is cut off", '{"meta":{"n":1},"data":[{"a":', "json"],
    ["an object on several lines", '{\n  "a": 1\n}\n', "ndjson"],
    ["an object with something behind it on the line", '{"a":1} x', "ndjson"],
    ["an object with an unquoted value", '{"a":x}', "json"],
    ["a bracket only", "{", "json"],
    ["one object a line", '{"a":1}\n{"a":2}\n', "ndjson"],
    ["one object a line, with arrays", '{"a":[1]}\r\n\r\n{"a":[]}', "ndjson"],
    ["one object a line, the second cut off", '{"a":1}\n{', "ndjson"],
    ["one object a line, the second broken", '{"a":1}\nx', "ndjson"],
    ["one object a line, the second no object", '{"a":1}\n"x"', "ndjson"],
    ["objects on several lines, one after the other", '{\n"a":1\n}\n{\n"a":2\n}', "ndjson"],
    ["two objects on one line", '{"a":1}{"a":2}', "ndjson"],
    ["a lone object on one line, with an array deeper inside", '{"a":1,"b":{"c":[1]}}\n', "ndjson"],
    ["a lone flat object on one line", '{"a":1}\n', "ndjson"],
    ["an empty object", "{}", "ndjson"],
    ["nothing", "", undefined],
    ["blanks", " \n", undefined],
    ["a string", '"abc"', undefined],
    ["a number", "123", undefined],
    ["a header in brackets", "[id];[name]\n1;2", undefined],
    ["a header in braces", "{id};{name}\n1;2", undefined],
    ["quoted names in braces", '{"id"},{"name"}\n', undefined],
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
