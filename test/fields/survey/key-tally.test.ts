import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyTally } from "../../../src/fields/survey/key-tally.ts";

function tallyOf(keys: readonly string[], limit?: number): KeyTally {
  const tally = new KeyTally(limit);
  keys.forEach((key) => tally.add(key));
  return tally;
}

describe("KeyTally", () => {
  it("counts the keys that occurred before", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 2, unit: "grapheme" })), (keys) => {
        const tally = tallyOf(keys);
        expect(tally.repeated).toBe(keys.length - new Set(keys).size);
        expect(tally.isBounded).toBe(false);
      }),
    );
  });

  it("tells a hundred thousand keys that differ little apart", () => {
    const keys = Array.from({ length: 100_000 }, (_, number) => `C${String(number).padStart(7, "0")}`);
    expect(tallyOf(keys).repeated).toBe(0);
    expect(tallyOf([...keys, ...keys]).repeated).toBe(100_000);
  });

  it("counts on with the keys it remembers once there are too many", () => {
    const tally = tallyOf(["b", "a", "c", "d", "c", "a"], 2);
    expect(tally.repeated).toBe(1);
    expect(tally.isBounded).toBe(true);
  });

  it("takes keys that differ in case or normal form for different ones", () => {
    expect(tallyOf(["ab", "AB", "caf\u00e9", "cafe\u0301", "AB"]).repeated).toBe(1);
  });

  it("is not bounded at exactly the limit", () => {
    expect(tallyOf(["a", "b", "a"], 2).isBounded).toBe(false);
  });
});
