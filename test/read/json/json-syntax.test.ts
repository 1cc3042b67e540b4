import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CUTS, failureOf, placeOf, read, readFixture } from "./json-support.ts";
import { draws } from "../../support/draws.ts";

describe.each(CUTS)("broken JSON in chunks of %s bytes", (cut) => {
  it.each([
    ["trailing-comma.json", "4:1", "expected a value after the comma, found ]"],
    ["missing-comma.json", "3:3", "expected a comma or ], found {"],
    ["cut-off.json", "3:26", 'expected the closing " of a string, found the end of the file'],
    ["comment.json", "2:3", "expected a value or ], found a comment"],
    ["leading-zeros.json", "2:33", "expected a number without leading zeros, found 00551035"],
    ["not-a-number.json", "2:43", "expected a value after the colon, found NaN"],
    ["two-arrays-in-a-row.json", "4:1", "expected the end of the file, found ["],
    ["bare-backslash.json", "2:31", String.raw`expected a valid JSON escape, found \data`],
    [
      "line-end-in-string.json",
      "2:34",
      'expected the closing " or a character of a string, found a line end',
    ],
  ])("%s is refused at %s", async (name, place, message) => {
    const error = await failureOf(read(readFixture(name), { cut }));
    expect(error).toMatchObject({ kind: "input", code: "json-syntax" });
    expect(placeOf(error)).toBe(place);
    expect(error.message).toBe(`x.json:${place}: broken JSON: ${message}`);
  });

  it.each([
    ["nothing at all", "", "1:1"],
    ["blanks only", " \r\n\t", "2:2"],
    ["a byte order mark", "\uFEFF[]", "1:1"],
    ["a no-break space", "[\u00a0]", "1:2"],
    ["two commas", "[{},,{}]", "1:5"],
    ["a comma before }", '[{"a":1,}]', "1:9"],
    ["two ends", "[]]", "1:3"],
    ["the wrong bracket after a row", "[{}}", "1:4"],
    ["the wrong bracket after a member", '[{"a":1]', "1:8"],
    ["a brace for a comma, as before the row above", '[{"a":1},{"b":2{"a":3}]', "1:16"],
    ["a name without quotes", "[{a:1}]", "1:3"],
    ["a name without a value", '[{"a"}]', "1:6"],
    ["two colons", '[{"a"::1}]', "1:7"],
    ["a minus alone", '[{"a":-}]', "1:8"],
    ["a point last", '[{"a":5.}]', "1:9"],
    ["an exponent with a sign only", '[{"a":1E+}]', "1:10"],
    ["half a literal", '[{"a":nul}]', "1:7"],
    ["a literal with a tail", '[{"a":truex}]', "1:11"],
    ["a tab in a string", '[{"a":"\t"}]', "1:8"],
    [String.raw`\x`, String.raw`[{"a":"é\x00"}]`, "1:9"],
    ["short hexadecimal digits", String.raw`[{"a":"\u00e"}]`, "1:8"],
    ["a string that only an escape ends", String.raw`[{"a":"\"}]`, "1:12"],
    ["a fault in a nested value", '[{"a":{"b":[1,{"c":}]}}]', "1:20"],
    ["a fault behind 2 lines and an emoji", '[\n{"a":"x"},\r\n{"😀":1;}]', "3:7"],
  ])("%s is refused with line and column", async (_what, text, place) => {
    const error = await failureOf(read(text, { cut }));
    expect(error.code).toBe("json-syntax");
    expect(placeOf(error)).toBe(place);
  });

  it("takes 512 levels and refuses 513", async () => {
    const nest = (levels: number): string => `[{"a":${"[".repeat(levels - 2)}${"]".repeat(levels - 2)}}]`;
    expect((await read(nest(512), { cut })).rows).toHaveLength(1);
    const error = await failureOf(read(nest(513), { cut }));
    expect(error.code).toBe("json-syntax");
    expect(placeOf(error)).toBe("1:517");
  });
});

it("points to --format ndjson when one object follows another", async () => {
  expect((await failureOf(read('{"a":1}\n{"a":2}'))).hint).toContain("--format ndjson");
});

describe("whatever the text", () => {
  /** JSON with a few characters changed, so that about half of the texts are broken. */
  const character = fc.constantFrom(...'{}[]",:\\u0-1.eE+ntf \n\t\u0001é'.split(""));
  const almostJson = fc
    .tuple(fc.json({ maxDepth: 3 }), fc.array(fc.tuple(fc.nat(), character), { maxLength: 2 }))
    .map(([json, edits]) => {
      let value = json;
      for (const [at, character] of edits) {
        const i = at % (value.length + 1);
        value = value.slice(0, i) + character + value.slice(i + (at % 2));
      }
      return `[{"a":${value}}]`;
    });

  it("agrees with JSON.parse on what is JSON, and with itself at every cut", async () => {
    const seen = { valid: 0, broken: 0 };
    await fc.assert(
      fc.asyncProperty(almostJson, fc.integer({ min: 1, max: 9 }), async (text, cut) => {
        const outcome = (reading: Promise<unknown>): Promise<unknown> =>
          reading.catch((error: unknown) => error);
        const whole = await outcome(read(text));
        const isBroken = whole instanceof Error && "code" in whole && whole.code === "json-syntax";
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        seen[isJson ? "valid" : "broken"]++;
        expect(isBroken).toBe(!isJson);
        expect(await outcome(read(text, { cut }))).toEqual(whole);
      }),
      draws(300),
    );
    expect(Math.min(seen.valid, seen.broken)).toBeGreaterThan(30);
  });
});
