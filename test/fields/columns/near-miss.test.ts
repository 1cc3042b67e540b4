import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countEdits } from "../../../src/fields/columns/near-miss.ts";

/** The same without limits. */
function countSlowly(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let at = 1; at <= right.length; at++) {
      const change = left[row - 1] === right[at - 1] ? 0 : 1;
      const counts = [rows[row - 1]![at]! + 1, current[at - 1]! + 1, rows[row - 1]![at - 1]! + change];
      const isSwap = row > 1 && at > 1 && left[row - 1] === right[at - 2] && left[row - 2] === right[at - 1];
      if (isSwap) counts.push(rows[row - 2]![at - 2]! + 1);
      current.push(Math.min(...counts));
    }
    rows.push(current);
  }
  return rows[left.length]![right.length]!;
}

describe("countEdits", () => {
  it.each([
    ["", "", 0],
    ["abc", "abc", 0],
    ["abc", "abxc", 1],
    ["abxc", "abc", 1],
    ["abc", "axc", 1],
    ["abc", "acb", 1],
    ["abcd", "badc", 2],
    ["ab", "abcde", 3],
  ])("%j to %j: %d", (left, right, edits) => {
    expect(countEdits(left, right)).toBe(edits);
  });

  it("is the same both ways, and none only for equal names", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(name, name, (left, right) => {
        expect(countEdits(left, right)).toBe(countEdits(right, left));
        expect(countEdits(left, right) === 0).toBe(left === right);
        expect(countEdits(left, right)).toBe(Math.min(countSlowly(left, right), 3));
      }),
    );
  });
});
