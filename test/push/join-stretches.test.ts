import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Whereabouts } from "../../src/model/counts.ts";
import { joinStretches } from "../../src/push/tally-run.ts";

const stretch = (firstLine: number, lastLine: number, more: Partial<Whereabouts> = {}): Whereabouts => ({
  outcome: "failed",
  kind: "update",
  file: "a.csv",
  firstLine,
  lastLine,
  rows: lastLine - firstLine + 1,
  ...more,
});

describe("the places of rows that were not accepted", () => {
  it("are in the order of the file, and those that follow each other are one", () => {
    expect(joinStretches([stretch(502, 1001), stretch(1502, 2001), stretch(2, 501)])).toEqual([
      stretch(2, 1001),
      stretch(1502, 2001),
    ]);
  });

  it.each([{ outcome: "refused" }, { kind: "create" }, { file: "b.csv" }] as const)(
    "stay apart where they differ: %j",
    (other) => {
      expect(joinStretches([stretch(2, 5), stretch(6, 9, other)])).toHaveLength(2);
    },
  );

  it("hold the same rows and lines as before, whatever the order", () => {
    const some = fc.record({
      first: fc.integer({ min: 2, max: 60 }),
      more: fc.integer({ min: 0, max: 5 }),
      kind: fc.constantFrom("update" as const, "create" as const),
      file: fc.constantFrom("a.csv", "b.csv"),
    });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 30 }), (drawn) => {
        const given = drawn.map(({ first, more, kind, file }) =>
          stretch(first, first + more, { kind, file }),
        );
        const joined = joinStretches(given);
        const lines = (all: readonly Whereabouts[]) =>
          new Set(
            all.flatMap(({ firstLine, lastLine, kind, file }) =>
              Array.from(
                { length: lastLine - firstLine + 1 },
                (_, at) => `${file} ${kind} ${firstLine + at}`,
              ),
            ),
          );
        const rows = (all: readonly Whereabouts[]) => all.reduce((sum, one) => sum + one.rows, 0);
        expect(lines(joined)).toEqual(lines(given));
        expect(rows(joined)).toBe(rows(given));
        expect(joined.length).toBeLessThanOrEqual(given.length);
      }),
    );
  });
});
