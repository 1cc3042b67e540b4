import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeSum } from "../../../src/fields/amount/amount-evidence.ts";
import { KeyTally } from "../../../src/fields/survey/key-tally.ts";
import type { Cell } from "../../../src/model/rows.ts";
import { chunkOf, chunksOf, csvReading, jsonReading, survey } from "./survey-support.ts";

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

  it("counts on with the keys it remembers once there are too many", () => {
    const tally = tallyOf(["b", "a", "c", "d", "c", "a"], 2);
    expect(tally.repeated).toBe(1);
    expect(tally.isBounded).toBe(true);
    expect(tallyOf(["a", "b", "a"], 2).isBounded).toBe(false);
  });

  it("takes keys that differ in case or normal form for different ones", () => {
    expect(tallyOf(["ab", "AB", "caf\u00e9", "cafe\u0301", "AB"]).repeated).toBe(1);
  });
});

const CENTS = fc.integer({ min: -1_000_000, max: 1_000_000 });
const ROWS = fc.array(
  fc.record({
    cents: fc.option(CENTS),
    day: fc.option(fc.integer({ min: 1, max: 28 })),
    // A value that is no digits makes the row invalid.
    isInvalid: fc.boolean(),
  }),
  { minLength: 1, maxLength: 30 },
);

describe("the figures of the columns", () => {
  it("are the sums and values of the rows that give a record, exactly", () => {
    fc.assert(
      fc.property(ROWS, fc.integer({ min: 1, max: 8 }), (rows, size) => {
        const cells = rows.map(({ cents, day, isInvalid }, at) => [
          `K${at}`,
          isInvalid ? "x" : "7",
          cents === null ? "" : (cents / 100).toFixed(2).replace(".", ","),
          day === null ? "" : `${day}/12/2025`,
        ]);
        const columns = ["cle", "num_commande", "paid_amount", "date_billed"];
        const pins = { pins: { decimal: "," as const, dateFormat: "DD/MM/YYYY" as const } };
        const { figures } = survey(csvReading(columns), chunksOf(columns, cells, size), pins);
        const valid = rows.filter(({ isInvalid }) => !isInvalid);
        const amounts = valid.flatMap(({ cents }) => (cents === null ? [] : [cents]));
        const sum = amounts.reduce((all, cents) => all + cents, 0);
        expect(figures.map(({ filled }) => filled)).toEqual([
          valid.length,
          valid.length,
          amounts.length,
          valid.filter(({ day }) => day !== null).length,
        ]);
        expect(Number(writeSum(figures[2]!.sum!))).toBeCloseTo(sum / 100, 6);
      }),
    );
  });

  it("count the values of members that appear later", () => {
    const rows: readonly (readonly Cell[])[] = [
      ["A", "1"],
      ["B", "2", "x"],
      ["C", null, "y"],
    ];
    const chunks = [chunkOf(["cle", "a"], rows.slice(0, 1)), chunkOf(["cle", "a", "b"], rows.slice(1), 3)];
    const { figures } = survey(jsonReading(), chunks);
    expect(figures.map(({ field, filled }) => [field, filled])).toEqual([
      ["cle", 3],
      ["a", 2],
      ["b", 2],
    ]);
  });

  it("count no empty value that is sent", () => {
    const rows = [
      ["A", ""],
      ["B", "x"],
    ];
    const { figures } = survey(csvReading(["cle", "a"]), [chunkOf(["cle", "a"], rows)], { empty: "send" });
    expect(figures.map(({ filled }) => filled)).toEqual([2, 1]);
  });
});
