import { describe, expect, it } from "vitest";
import type { FieldType } from "../../../src/fields/type-text.ts";
import { JsonNumber } from "../../../src/model/rows.ts";
import { AMOUNT, readCells, settleCells, settleFile, told } from "../read-as.ts";
import { failureOf } from "../survey/survey-support.ts";

const EITHER = "--type column=amount:, or --type column=amount:.";

describe("the decimal mark", () => {
  it.each([
    ["1,234|5,00", "1.234|5.00"],
    ["1.234|5.00", "1.234|5.00"],
    ["1,234|1,234,567", "1234|1234567"],
    ["1250.00|12.50|1.459", "1250.00|12.50|1.459"],
    ["1.250,00|12,50|1.459", "1250.00|12.50|1459"],
    ["-1,250.00 €|999|1,459 €", "-1250.00|999|1459"],
  ])("is settled by the column: %s", (cells, amounts) => {
    expect(readCells(cells.split("|"), AMOUNT).join("|")).toBe(amounts);
  });

  it("needs no settling for whole numbers", () => {
    expect(told(settleCells(["595", "1 437"], AMOUNT))).toEqual([undefined, undefined, false]);
  });

  it.each([
    ["ambiguous-amount", "595|-1,234 €", 'line 3 "-1,234 €" is -1.234 or -1234', EITHER],
    [
      "ambiguous-amount",
      "12|7.557|576,578|8.123",
      'line 3 "7.557" is 7557 or 7.557, and line 4 "576,578" is 576.578 or 576578',
      EITHER,
    ],
    [
      "contradicting-formats",
      "5,00|1,234|5.00",
      'line 4 "5.00" has a decimal point and line 2 "5,00" a decimal comma; whichever is named, rows with the other are invalid',
      EITHER,
    ],
    [
      "lone-group",
      "1 250,00|12,50|1.459",
      'line 4 "1.459" is 1459 or 1.459, and the column does not group all numbers by its sign',
      "--type column=amount:, reads 1459; for 1.459 write 1,459 in the file",
    ],
    ...["1.250,00|1250|1.459", "1.250,00|1'250|1.459"].map((cells) => [
      "lone-group",
      cells,
      'line 4 "1.459" is 1459 or 1.459, and the column does not group all numbers by its sign',
      "--type column=amount:, reads 1459; for 1.459 write 1,459 in the file",
    ]),
    [
      "lone-group",
      "12.50|-1,459 €",
      'line 3 "-1,459 €" is -1459 or -1.459, and the column does not group all numbers by its sign',
      "--type column=amount:. reads -1459; for -1.459 write -1.459 € in the file",
    ],
  ])("is asked for with both readings: %s in %s", (code, cells, text, hint) => {
    const stop = failureOf(() => settleCells(cells.split("|"), AMOUNT));
    expect(stop).toMatchObject({ kind: "input", code, hint });
    expect(stop.message).toContain(text);
  });

  it("may be the column's own, whatever the file's", () => {
    const type: FieldType = { kind: "amount", decimal: "," };
    expect(readCells(["1,234", "5.000"], type, { decimal: "." })).toEqual(["1.234", "5000"]);
    expect(told(settleCells(["1,234"], type))).toEqual(["decimal comma", "--type", false]);
  });

  it("is never settled by another column, and asked for by column", () => {
    for (const other of ["1 437,50", "1.50"]) {
      const stop = failureOf(() => settleFile({ one: [AMOUNT, ["1.234"]], other: [AMOUNT, [other]] }));
      expect(stop).toMatchObject({ code: "ambiguous-amount", place: { line: 2 } });
      expect(stop.hint).toBe("--type one=amount:, or --type one=amount:.");
    }
  });

  it("of JSON numbers is the point, and proves nothing", () => {
    const [number, long] = [new JsonNumber("1.459"), new JsonNumber("12345")];
    expect(readCells([number, "1,5", long], AMOUNT)).toEqual(["1.459", "1.5", "12345"]);
    expect(failureOf(() => settleCells([number, "1,5", "1.459"], AMOUNT)).code).toBe("lone-group");
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
    const stop = failureOf(() => settleCells([one, "1", other], AMOUNT, { decimal: "," }));
    expect(stop).toMatchObject({ kind: "input", code: "two-currencies", place: { line: 4 } });
    expect(stop.message).toContain(one);
    expect(stop.message).toContain(other);
  });
});
