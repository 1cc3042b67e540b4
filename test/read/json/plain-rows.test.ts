import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eitherFault, outcomeOf, strictOutcome, strictRecords } from "./json-support.ts";
import { draws } from "../../support/draws.ts";

const value = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('"x"', '"551035"', '""', '"été"', "12", "null", '"1 437,50"') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "-0.5",
      "1e2",
      "1E400",
      "true",
      "false",
      "0",
      "01",
      "-",
      "nul",
      "tru",
      "xalse",
      "nulx",
      "[1]",
      "12.",
      '"a\\nb"',
      '"\\u00e9"',
      '"\\ud83d\\ude00"',
      '"\\ud83d"',
      '"\\x"',
      '"a\tb"',
      '"\\u12"',
      '"\\u12g4"',
      '"}, {"',
      '"\\\\"',
    ),
  },
);
const name = fc.constantFrom("a", "b", "c", "clé", "error", "status", "count");
const blank = fc.constantFrom("", "", "", " ", "\n", "\r\n", "\t", "\r");
const members = fc.uniqueArray(name, { maxLength: 5 });

interface Style {
  readonly comma: string;
  readonly colon: string;
  readonly end: string;
}

function write(names: readonly string[], values: readonly string[], { comma, colon, end }: Style): string {
  const pairs = names.map((name, at) => `"${name}"${colon}:${colon}${values[at] ?? '"y"'}`);
  return `{${end}${pairs.join(`${comma},${comma}`)}${end}}`;
}

const row = fc.tuple(members, fc.array(value, { minLength: 5, maxLength: 5 }));
const style = fc.record({ comma: blank, colon: blank, end: blank });
const usual = fc.tuple(
  members,
  style,
  fc.array(fc.array(value, { minLength: 5, maxLength: 5 }), { maxLength: 12 }),
);
/** Rows of one shape, and a few others between them. */
const file = fc
  .tuple(usual, fc.array(fc.tuple(fc.nat(12), row, style, fc.boolean()), { maxLength: 3 }), blank)
  .map(([[names, style, values], others, between]) => {
    const rows = values.map((cells) => write(names, cells, style));
    for (const [at, [otherNames, cells], otherStyle, isTwice] of others) {
      const all = isTwice ? [...otherNames, ...otherNames.slice(0, 1)] : otherNames;
      rows.splice(at, 0, write(all, cells, otherStyle));
    }
    return { rows, between };
  });

describe("rows of plain values", () => {
  it("are read alike, however they are scanned", async () => {
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.constantFrom("json" as const, "ndjson" as const),
        fc.constantFrom(undefined, 200, 50, 7),
        fc.constantFrom(1_048_576, 60),
        async ({ rows, between }, format, cut, maxRowBytes) => {
          const text = format === "json" ? `[${rows.join(`,${between}`)}]` : `${rows.join(`${between}\n`)}\n`;
          const options = { format, maxRowBytes, ...(cut === undefined ? {} : { cut }) };
          const strictly = eitherFault(await strictOutcome(text, options), maxRowBytes);
          expect(eitherFault(await outcomeOf(text, options), maxRowBytes)).toEqual(strictly);
        },
      ),
      draws(400),
    );
  });

  it.each([
    ["in one line", '{"cle": "K1", "note": "été", "n": 12.5, "x": null}'],
    ["over lines", '{\n  "cle": "K1",\n  "note": "\\n",\n  "n": true,\n  "x": ""\n}'],
    ["with few of the members", '{"x":"1","cle":"2"}'],
  ])("are read with care once at most: %s", async (_, text) => {
    const first = '{"cle":"K","note":"","n":1,"x":null}';
    const json = `[${[first, text, text, text].join(",\n")}]`;
    expect(Math.max(...(await strictRecords(json, { format: "json" })))).toBeLessThan(3);
  });

  it("are left to the strict scanner where they lack most of many columns, each of which takes memory", async () => {
    const wide = `{${Array.from({ length: 67 }, (_, at) => `"n${at}":1`).join(",")}}`;
    const text = `[${wide},{"n0":1},{"n0":1,"n1":2}]`;
    expect(await strictRecords(text, { format: "json" })).toEqual([1, 2]);
  });
});
