import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eitherFault, outcomeOf, plainRows, read, strictOutcome, strictRecords } from "./json-support.ts";
import { draws } from "../../support/draws.ts";

const plain = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('"x"', '"551035"', '""', '"été"', "12", "null", '"1 437,50"', "true"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"a\\nb"', '"\\ud83d"', '"\\x"', "1e2", "01", "nul", '"}, {"', "12."),
  },
);
const nested = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "[]",
      "{}",
      "[ ]",
      "{\n}",
      "[1]",
      '{"a":1}',
      '[{"q":"x"},{"q":"]"}]',
      '{"a":{"b":[]}}',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "[1,]",
      '{"a"}',
      "{a:1}",
      "[1\r]",
      "[1 2]",
      '["\\ud83d"]',
      '["\\x"]',
      "[01]",
      "[}",
      "[1e5,\n-0.5]",
    ),
  },
);
const name = fc.constantFrom("a", "b", "c", "clé", "a_b", "error", "status", "x\\u0061", "");
const blank = fc.constantFrom("", "", "", " ", "\n", "\r\n", "\t", "\r");

interface Style {
  readonly comma: string;
  readonly colon: string;
  readonly end: string;
}

/** A member: its name, and its value or the members of the object that is its value. */
type Member = readonly [string, readonly Member[] | undefined];

const members: fc.Arbitrary<readonly Member[]> = fc.letrec<{ members: readonly Member[] }>((tie) => ({
  members: fc.uniqueArray(
    fc.tuple(name, fc.option(tie("members"), { nil: undefined, freq: 4, depthSize: "small", maxDepth: 2 })),
    { maxLength: 4, selector: ([one]) => one },
  ),
})).members;

function write(shape: readonly Member[], values: readonly string[], style: Style): string {
  let next = 0;
  const { comma, colon, end } = style;
  const object = (of: readonly Member[]): string => {
    const pairs = of.map(([key, inner]) => {
      const value = inner === undefined ? (values[next++ % values.length] ?? "1") : object(inner);
      return `"${key}"${colon}:${colon}${value}`;
    });
    return `{${end}${pairs.join(`${comma},${comma}`)}${end}}`;
  };
  return object(shape);
}

const value = fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: nested });
const style = fc.record({ comma: blank, colon: blank, end: blank });
const values = fc.array(value, { minLength: 5, maxLength: 5 });
/** Rows of a few shapes in turn. */
const file = fc
  .tuple(
    fc.array(fc.tuple(members, style), { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(fc.nat(5), values), { maxLength: 12 }),
    blank,
  )
  .map(([shapes, drawn, between]) => {
    const rows = drawn.map(([at, cells]) => {
      const [shape, how] = shapes[at % shapes.length]!;
      return write([["cle", undefined], ...shape], cells, how);
    });
    return { rows, between };
  });

describe("rows that are built alike", () => {
  it("are read as the strict scanner reads them, however they are scanned", async () => {
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.constantFrom("json" as const, "ndjson" as const),
        fc.constantFrom(undefined, [], ["a"], ["a_b", "c"]),
        fc.constantFrom(undefined, 200, 50),
        fc.constantFrom(1_048_576, 60),
        async ({ rows, between }, format, flatten, cut, maxRowBytes) => {
          const text = format === "json" ? `[${rows.join(`,${between}`)}]` : `${rows.join(`${between}\n`)}\n`;
          const options = { format, maxRowBytes, ...(flatten && { flatten }), ...(cut && { cut }) };
          const strictly = eitherFault(await strictOutcome(text, options), maxRowBytes);
          expect(eitherFault(await outcomeOf(text, options), maxRowBytes)).toEqual(strictly);
        },
      ),
      draws(600),
    );
  });

  it.each([
    [
      "objects are flattened",
      '{"cle":"K1","client":{"nom":"x","adresse":{"ville":"y"}},"lignes":[{"q":1}]}',
      [],
    ],
    ["objects are over lines", '{\n  "cle": "K1",\n  "client": {\n    "nom": null\n  }\n}', []],
    ["an object is left whole", '{"cle":"K1","client":{"nom":"x"},"n":2}', ["client"]],
    ["nothing is flattened", '{"cle":"K1","client":{"nom":"x"},"lignes":[]}', undefined],
  ])("are read with care only once if %s", async (_, text, flatten) => {
    const json = `[${[text, text, text].join(",\n")}]`;
    expect(await strictRecords(json, { ...(flatten && { flatten }) })).toEqual([1]);
  });

  it("keep their shapes apart: a member may be an object, null or missing, by turns", async () => {
    const shapes = [
      '{"cle":"1","client":{"nom":"x"},"n":1}',
      '{"cle":"2","client":null,"n":2}',
      '{"cle":"3","n":3}',
      '{"cle":"4","client":{},"n":4}',
    ];
    const text = `[${[...shapes, ...shapes, ...shapes].join(",")}]`;
    const pass = await read(text, { flatten: [] });
    expect(pass.columns).toEqual(["cle", "client_nom", "n", "client"]);
    expect(plainRows(pass).slice(8)).toEqual([
      ["1", "x", "#1"],
      ["2", undefined, "#2", null],
      ["3", undefined, "#3"],
      ["4", undefined, "#4"],
    ]);
    expect(Math.max(...(await strictRecords(text, { flatten: [] })))).toBeLessThan(9);
  });

  it("do not hold an object that is given twice, though each of its members is given once", async () => {
    const whole = '{"cle":"K1","client":{"nom":"x","ville":"y"}}';
    const twice = '{"cle":"K2","client":{"nom":"x"},"client":{"ville":"y"}}';
    const text = `[${[whole, whole, twice].join(",")}]`;
    expect(await outcomeOf(text, { flatten: [] })).toEqual(await strictOutcome(text, { flatten: [] }));
    const { rows, problems } = await read(text, { flatten: [] });
    expect([rows.length, problems.length]).toEqual([2, 1]);
  });
});
