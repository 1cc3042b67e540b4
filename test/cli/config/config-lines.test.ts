import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configLines, joinPath, readConfig } from "../../../src/cli/config/read-config.ts";

describe("a mistake in a config", () => {
  it("is told with the line of its key", () => {
    const text =
      '{\n  "tables": {\n    "t": {\n      "map": { "a:b": "x" },\n      "delimeter": ";"\n    }\n  }\n}\n';
    expect(() => readConfig(text, "c.json")).toThrow(
      expect.objectContaining({
        message: 'c.json:5: tables.t.delimeter: unknown key; did you mean "delimiter"?',
        place: { file: "c.json", line: 5 },
      }),
    );
  });

  it("is one of several, each with its line", () => {
    const text = '{\n"tables": { "t": {\n"drop": ["a",\n 7],\n"decimal": 1 } } }';
    expect(() => readConfig(text, "c.json")).toThrow(
      /c\.json: 2 mistakes\n {2}line 4: tables\.t\.drop\[1\]: .*\n {2}line 5: tables\.t\.decimal: /,
    );
  });
});

describe("the lines of a config", () => {
  it("are those that its members have, whatever they hold", () => {
    const name = fc.stringMatching(/^[a-z"\\:,{}[\] ]{1,6}$/);
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        fc.string(),
        fc.integer(),
        fc.constantFrom(true, null),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(name, tie("any"), { maxKeys: 3 }),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 4 }), (config) => {
        const pretty = JSON.stringify(config, undefined, 1);
        const printed = pretty.split("\n");
        const lines = configLines(pretty);
        for (const key of Object.keys(config)) {
          const line = printed.findIndex((one) => one.startsWith(` ${JSON.stringify(key)}:`)) + 1;
          expect(lines.get(joinPath("", key))).toBe(line);
        }
      }),
    );
  });
});
