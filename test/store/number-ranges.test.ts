import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ordinalsOf, rangesOf, StatesOfNumbers } from "../../src/store/number-ranges.ts";
import { emptyRecord, toRecords } from "../support/to-record.ts";
import { draws } from "../support/draws.ts";

const range = fc
  .tuple(fc.nat(40), fc.nat(10))
  .map(([first, more]): [number, number] => [first, first + more]);
const state = fc.constantFrom("accepted" as const, "inDoubt" as const, undefined);
const steps = fc.array(fc.record({ state, range }));

function numbersIn([first, last]: readonly [number, number]): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

describe("StatesOfNumbers", () => {
  it("holds what a map of the same numbers holds, in as few stretches", () => {
    fc.assert(
      fc.property(steps, range, (steps, asked) => {
        const states = new StatesOfNumbers<"accepted" | "inDoubt">();
        const map = new Map<number, string>();
        for (const { state, range } of steps) {
          states.set(range, state);
          for (const number of numbersIn(range)) {
            if (state === undefined) map.delete(number);
            else map.set(number, state);
          }
        }
        for (const number of numbersIn([0, 60])) expect(states.of(number)).toBe(map.get(number));
        for (const state of ["accepted", "inDoubt"] as const) {
          const those = [...map]
            .flatMap(([number, of]) => (of === state ? [number] : []))
            .sort((a, b) => a - b);
          expect(states.count(state)).toBe(those.length);
          expect(states.in(state)).toEqual(rangesOf(those));
          const within = those.filter((number) => number >= asked[0] && number <= asked[1]);
          expect(states.in(state, asked)).toEqual(rangesOf(within));
        }
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
});
