import { describe, expect, it } from "vitest";
import type { FieldType } from "../../../src/fields/value.ts";
import { AMOUNT, readCells, settleCells, settleFile, stopOf, told } from "../read-as.ts";

describe("the decimal mark", () => {
  it("is settled by the column", () => {
    expect(readCells(["1,234", "5,00", "1.234"], AMOUNT)).toEqual(["1.234", "5.00", "1234"]);
    expect(readCells(["1,234", "5.00", "1.234"], AMOUNT)).toEqual(["1234", "5.00", "1.234"]);
    expect(readCells(["1,234", "1,234,567"], AMOUNT)).toEqual(["1234", "1234567"]);
  });

  it("needs no settling for whole numbers", () => {
    expect(told(settleCells(["595", "1 437"], AMOUNT))).toEqual([undefined, undefined, false]);
  });

  it("stops with both readings where nothing settles it", () => {
    const stop = stopOf(() => settleCells(["595", "-1,234 €"], AMOUNT));
    expect(stop.code).toBe("ambiguous-amount");
    expect(stop.message).toContain('line 3 "-1,234 €" is -1234 or -1.234');
    expect(stop.hint).toBe("--decimal , or --decimal .");
  });

  it("may be the column's own, whatever the file's", () => {
    const type: FieldType = { kind: "amount", decimal: "," };
    expect(readCells(["1,234", "5.000"], type, { decimal: "." })).toEqual(["1.234", "5000"]);
    expect(told(settleCells(["1,234"], type))).toEqual(["decimal comma", "--type", false]);
  });

  it("is asked for by column where the others disagree", () => {
    const stop = stopOf(() =>
      settleFile({
        a: [AMOUNT, ["1,50"]],
        b: [AMOUNT, ["1.50"]],
        c: [{ kind: "amount", scale: 3 }, ["1,234"]],
      }),
    );
    expect(stop.hint).toBe("--type c=amount:3:, or --type c=amount:3:.");
  });

  it("stops at a contradiction, naming both cells", () => {
    const stop = stopOf(() => settleCells(["5,00", "1,234", "5.00"], AMOUNT));
    expect(stop.code).toBe("contradicting-amounts");
    expect(stop.message).toContain('line 4 "5.00" has a decimal point and line 2 "5,00" a decimal comma');
  });

  it("stops where it gives a surveyed cell more decimals than the scale", () => {
    const type: FieldType = { kind: "amount", scale: 2 };
    expect(stopOf(() => settleCells(["5,00", "1,234"], type))).toMatchObject({
      code: "too-many-decimals",
      place: { line: 3 },
    });
    expect(readCells(["5.00", "1,234"], type)).toEqual(["5.00", "1234.00"]);
    expect(readCells(["5,00", "1,230"], type)).toEqual(["5.00", "1.23"]);
  });
});

describe("currencies", () => {
  it("may be a sign and its code in one column", () => {
    expect(readCells(["5 €", "EUR 6", "7"], AMOUNT)).toEqual(["5", "6", "7"]);
  });

  it.each([
    ["5 €", "$6"],
    ["USD 5", "$6"],
    ["5 CHF", "6 EUR"],
  ])("stop where %s and %s stand in one column", (one, other) => {
    const stop = stopOf(() => settleCells([one, "1", other], AMOUNT, { decimal: "," }));
    expect(stop).toMatchObject({ kind: "input", code: "two-currencies", place: { line: 4 } });
    expect(stop.message).toContain(one);
    expect(stop.message).toContain(other);
  });
});
