import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SurveyedKeys } from "../../../src/fields/survey/surveyed-keys.ts";

function take(keys: readonly string[], limit?: number): SurveyedKeys {
  const taken = new SurveyedKeys(limit);
  for (const [at, key] of keys.entries()) taken.take(key, at + 2);
  return taken;
}

describe("keys that differ only in case or Unicode normal form", () => {
  it.each([
    ["case", ["ab-1", "x", "AB-1"], 4, 2, ""],
    ["normal form", ["caf\u00e9", "cafe\u0301"], 3, 2, ""],
    ["both", ["CAF\u00c9", "1", "2", "cafe\u0301"], 5, 2, ""],
    ["case, in several rows", ["ab", "q", "AB", "Q", "aB"], 4, 2, " (3 rows with such keys)"],
  ])("are told with their lines: %s", (_, keys, line, first, others) => {
    const [notice, ...more] = take(keys).notices;
    expect(more).toEqual([]);
    expect(notice?.text).toContain(
      ` in line ${line} differs from that in line ${first} only in case or Unicode normal form${others}: they are sent as different keys`,
    );
  });

  it.each([
    ["equal keys", ["ab", "ab", "AC"]],
    ["other letters", ["e", "\u00e9", "f"]],
    ["digits", ["1", "01", "1"]],
  ])("are not %s", (_, keys) => expect(take(keys).notices).toEqual([]));

  it("are found wherever they are, and nothing else is", () => {
    const key = fc.string({ unit: fc.constantFrom("a", "A", "b", "\u00e9", "e\u0301", "1"), maxLength: 3 });
    fc.assert(
      fc.property(fc.array(key, { maxLength: 200 }), (keys) => {
        const seen = new Map<string, string>();
        let variants = 0;
        for (const each of keys) {
          const folded = each.normalize("NFC").toLowerCase().normalize("NFC");
          const first = seen.get(folded);
          if (first === undefined) seen.set(folded, each);
          else if (first !== each) variants++;
        }
        const [notice] = take(keys).notices;
        const counted = notice?.text.includes(`(${variants} rows with such keys)`) ?? false;
        expect([notice !== undefined, counted]).toEqual([variants > 0, variants > 1]);
      }),
    );
  });

  it("are found among thousands of keys, and not looked for once there are too many", () => {
    const keys = Array.from({ length: 5000 }, (_, at) => `key-${at}`);
    expect(take([...keys, "KEY-17"]).notices[0]?.text).toContain("in line 5002 differs from that in line 19");
    expect(take([...keys, "KEY-17"], 4999).notices).toEqual([]);
  });

  it.each([
    ["upper", (key: string) => key.toUpperCase(), (key: string) => key.toLowerCase()],
    ["lower", (key: string) => key.toLowerCase(), (key: string) => key.toUpperCase()],
  ])("are found after many keys in %s case only, the first and the last of them too", (_, usual, other) => {
    const keys = Array.from({ length: 40_000 }, (_unused, at) => usual(`Key-${at}`));
    for (const at of [0, 16_383, 16_384, 39_999]) {
      const [notice] = take([...keys, keys[at]!, other(keys[at]!), other("new")]).notices;
      expect(notice?.text).toContain(`in line 40003 differs from that in line ${at + 2} only`);
    }
  });
});
