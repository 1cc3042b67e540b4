import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectEvidence, settleColumns } from "../../../src/fields/survey/settle.ts";
import type { FieldType } from "../../../src/fields/type-text.ts";
import { RecPushError } from "../../../src/model/failure.ts";
import type { Cell } from "../../../src/model/problem-groups.ts";
import { DATE, TODAY, told } from "../read-as.ts";

describe("evidence", () => {
  const day = fc.constantFrom(
    "05/07/2016",
    "06-07-16",
    "16-07-25",
    "05/05/2016",
    "26/03/2024",
    "03/26/2024",
    "99-12-31",
    "16/07/05",
    "16.07.13",
    "45/03/14",
    "14/03/45",
    "14/03/46",
    "14 mar 45",
  );
  const moment = fc.constantFrom(
    "2016-07-05",
    "2016-07-05T00:00Z",
    "2016-07-05T10:00Z",
    "5/7/2016 10:00",
    "x",
  );
  const money = fc.constantFrom(
    "1,234",
    "1.234",
    "5,00",
    "5.00",
    "595",
    "5 €",
    "$5",
    "USD 5",
    "1 234,5",
    "1.234,5",
    "1,234.5",
    "1234",
    "12,-",
    "x",
  );

  const outcome = (type: FieldType, cells: readonly (readonly [Cell, number])[]): unknown => {
    const evidence = collectEvidence(type, {}, "c", TODAY);
    for (const [cell, line] of cells) evidence.add(cell, line);
    try {
      return settleColumns(
        [{ name: "c", field: "c", type, evidence }],
        {},
        { file: "f.csv", noun: "column" },
      ).map(told);
    } catch (error) {
      if (error instanceof RecPushError) return [error.message, error.hint];
      throw error;
    }
  };

  it.each<[string, FieldType, fc.Arbitrary<string>]>([
    ["dates", DATE, fc.oneof(day, moment)],
    ["amounts", { kind: "amount", scale: 2 }, money],
  ])("of %s settles the same in any order", (_, type, cell) => {
    const shuffled = fc
      .array(cell, { minLength: 1, maxLength: 12 })
      .map((cells) => cells.map((value, at) => [value, Math.ceil((at + 1) / 2)] as const))
      .chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })));
    fc.assert(
      fc.property(shuffled, ([rows, mixed]) => {
        expect(outcome(type, mixed)).toEqual(outcome(type, rows));
      }),
      { numRuns: 1500 },
    );
  });
});
