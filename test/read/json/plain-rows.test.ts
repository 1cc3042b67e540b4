import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../../support/draws.ts";
import { parted } from "../../support/parted.ts";
import { outcomeOf, type Pass, plainRows, read } from "./json-support.ts";

const USUAL = ['"x"', '"551035"', '""', '"été"', "12", "null", '"1 437,50"', "true"];
const RARE = parted`-0.5|1e2|1E400|false|0|"a\\nb"|"\\u00e9"|"\\ud83d\\ude00"|"}, {"|"\\\\"`;
const NESTED = parted`[]|{}|[ ]|{"a":{"b":[]}}|[{"q":"x"},{"q":"]"}]`.concat(
  "{\n}",
  "[1e5,\r\n-0.5]",
  "[1\r]",
);
const BROKEN = ["01", "-", "nul", "xalse", "nulx", "12.", '"\\ud83d"', '"\\x"', '"a\tb"', '"\\u12g4"', "["];
const BROKEN_NESTED = ["[1,]", '{"a"}', "{a:1}", "[1 2]", '["\\x"]', "[01]", "[}"];
const value = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...USUAL) },
  { weight: 2, arbitrary: fc.constantFrom(...RARE, ...NESTED) },
  { weight: 1, arbitrary: fc.constantFrom(...BROKEN, ...BROKEN_NESTED) },
);
const name = fc.constantFrom("a", "b", "c", "clé", "a_b", "x\\u0061", 'q\\"', "");
const blank = fc.constantFrom("", "", "", " ", "\n", "\r\n", "\t", "\r");

interface Shape {
  readonly names: readonly string[];
  readonly comma: string;
  readonly colon: string;
  readonly end: string;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  names: fc.uniqueArray(name, { maxLength: 5 }),
  comma: blank,
  colon: blank,
  end: blank,
});

function write({ names, comma, colon, end }: Shape, values: readonly string[]): string {
  const cells = ['"K"', ...values];
  const members = ["cle", ...names].map((one, at) => `"${one}"${colon}:${colon}${cells[at] ?? '"y"'}`);
  return `{${end}${members.join(`${comma},${comma}`)}${end}}`;
}

/** Rows of a few shapes in turn, most of them like the one before. */
const rows = fc
  .tuple(
    fc.array(shape, { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom(0, 0, 0, 1, 2), fc.array(value, { maxLength: 6 })), { maxLength: 12 }),
  )
  .map(([shapes, drawn]) => drawn.map(([at, values]) => write(shapes[at % shapes.length]!, values)));

/** What JSON.parse makes of a row, by name, as `plainRows` shows it; `undefined` if it is no JSON. */
function parsed(text: string): Map<string, unknown> | undefined {
  try {
    // Numbers keep their source.
    const held = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
      token.startsWith('"') || !isJson(token) ? token : JSON.stringify(`#${token}`),
    );
    const members = Object.entries(JSON.parse(held) as object);
    return new Map(members.map(([one, cell]: [string, unknown]) => [one, asPlain(cell)]));
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function asPlain(cell: unknown): unknown {
  if (typeof cell !== "object" || cell === null) return cell;
  if (Object.keys(cell).length === 0) return null;
  return Array.isArray(cell) ? [] : {};
}

/** The members of the rows by name, and the lines of rows and problems. */
function found(pass: Pass): unknown {
  const rows = plainRows(pass).map(
    (cells) => new Map(cells.flatMap((cell, at) => (cell === undefined ? [] : [[pass.columns[at]!, cell]]))),
  );
  const [lines, problems] = [pass.rows, pass.problems].map((all) => all.map(({ line }) => line));
  return { rows, lines, problems };
}

describe("rows that are built alike", () => {
  it("hold what JSON.parse finds in them, in their lines, wherever the bytes are cut", async () => {
    const seen = { whole: 0, broken: 0 };
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.constantFrom("json" as const, "ndjson" as const),
        blank,
        fc.constantFrom(0, 200, 50, 7, 1),
        async (texts, format, between, cut) => {
          const isArray = format === "json";
          const separator = isArray ? `,${between}` : `${between}\n`;
          const text = isArray ? `[${texts.join(separator)}]` : `${texts.join(separator)}\n`;
          const options = { format, cut };
          const outcome = await outcomeOf(text, options);
          expect(outcome).toEqual(await outcomeOf(text, { format }));
          const expected = texts.map((one) => parsed(one));
          const isBroken = expected.includes(undefined);
          seen[isBroken ? "broken" : "whole"]++;
          // Half of a pair of surrogates is no character, but JSON.
          const isRow = texts.map((one) => !/"\\ud83d"/.test(one));
          const lineOf = (_: string, at: number): number => {
            const above = texts.slice(0, at).map((one) => one + separator);
            return `${isArray ? "[" : ""}${above.join("")}`.replaceAll("\r\n", "\n").split(/[\r\n]/).length;
          };
          const lines = texts.map(lineOf);
          const told = isBroken ? (outcome as { code?: string }).code : found(await read(text, options));
          const [rows, rowLines] = [expected, lines].map((all) => all.filter((__, at) => isRow[at]));
          const problems = lines.filter((__, at) => !isRow[at]);
          expect(told).toEqual(isBroken ? "json-syntax" : { rows, lines: rowLines, problems });
        },
      ),
      draws(600),
    );
    expect(Math.min(seen.whole, seen.broken)).toBeGreaterThan(50);
  });

  it("keep their shapes apart: a member may be an object, null or missing, by turns", async () => {
    const shapes = ['"client":{"nom":"x"},', '"client":null,', "", '"client":{},'].map(
      (client, at) => `{"cle":"${at + 1}",${client}"n":${at + 1}}`,
    );
    const pass = await read(`[${[...shapes, ...shapes, ...shapes].join(",")}]`, { flatten: [] });
    expect(pass.columns).toEqual(["cle", "client_nom", "n", "client"]);
    expect(plainRows(pass).slice(8)).toEqual([
      ["1", "x", "#1"],
      ["2", undefined, "#2", null],
      ["3", undefined, "#3"],
      ["4", undefined, "#4"],
    ]);
  });

  it("do not hold an object that is given twice, though each of its members is given once", async () => {
    const whole = '{"cle":"K1","client":{"nom":"x","ville":"y"}}';
    const twice = '{"cle":"K2","client":{"nom":"x"},"client":{"ville":"y"}}';
    const { rows: read1, problems } = await read(`[${[whole, whole, twice].join(",")}]`, { flatten: [] });
    expect([read1.length, problems.length]).toEqual([2, 1]);
  });
});
