import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NumberRanges, ordinalsOf, rangesOf } from "../../src/store/number-ranges.ts";
import { emptyRecord, toRecords } from "../support/to-record.ts";
import { draws } from "../support/draws.ts";

const range = fc
  .tuple(fc.nat(40), fc.nat(10))
  .map(([first, more]): [number, number] => [first, first + more]);
const steps = fc.array(fc.record({ does: fc.constantFrom("add" as const, "remove" as const), range }));

function numbersIn([first, last]: readonly [number, number]): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

describe("NumberRanges", () => {
  it("holds what a set of the same numbers holds, and counts what changes", () => {
    fc.assert(
      fc.property(steps, (steps) => {
        const ranges = new NumberRanges();
        const set = new Set<number>();
        for (const { does, range } of steps) {
          const before = set.size;
          for (const number of numbersIn(range)) {
            if (does === "add") set.add(number);
            else set.delete(number);
          }
          expect(ranges[does](range)).toBe(Math.abs(set.size - before));
        }
        expect(ranges.count).toBe(set.size);
        expect(numbersIn([0, 60]).filter((number) => ranges.has(number))).toEqual(
          [...set].sort((a, b) => a - b),
        );
        expect(ranges.ranges).toEqual(rangesOf([...set].sort((a, b) => a - b)));
      }),
      draws(100),
    );
  });

  it("gives the ranges of records as of their numbers, also if one comes twice or out of order", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(6)), fc.boolean(), (drawn, isRising) => {
        const numbers = isRising ? [...new Set(drawn)].sort((a, b) => a - b) : drawn;
        expect(ordinalsOf(toRecords(numbers.map((ordinal) => ({ ...emptyRecord(1), ordinal }))))).toEqual(
          rangesOf(numbers),
        );
      }),
    );
  });

  it("makes one stretch of neighbours", () => {
    const ranges = new NumberRanges();
    ranges.add([0, 4]);
    ranges.add([10, 14]);
    ranges.add([5, 9]);
    expect(ranges.ranges).toEqual([[0, 14]]);
  });

  it("holds nothing once it is cleared", () => {
    const ranges = new NumberRanges();
    ranges.add([0, 4]);
    ranges.clear();
    expect([ranges.count, ranges.has(2), ranges.ranges]).toEqual([0, false, []]);
  });
});
