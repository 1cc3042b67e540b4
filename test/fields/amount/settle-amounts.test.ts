import { describe, expect, it } from "vitest";
import type { FieldType } from "../../../src/fields/type-text.ts";
import { JsonNumber } from "../../../src/model/rows.ts";
import { AMOUNT, readCells, settleCells, settleFile, told } from "../read-as.ts";
import { failureOf } from "../survey/survey-support.ts";

describe("the decimal mark", () => {
  it("is settled by the column", () => {
    expect(readCells(["1,234", "5,00"], AMOUNT)).toEqual(["1.234", "5.00"]);
    expect(readCells(["1.234", "5.00"], AMOUNT)).toEqual(["1.234", "5.00"]);
    expect(readCells(["1,234", "1,234,567"], AMOUNT)).toEqual(["1234", "1234567"]);
  });

  it("needs no settling for whole numbers", () => {
    expect(told(settleCells(["595", "1 437"], AMOUNT))).toEqual([undefined, undefined, false]);
  });

  it("stops with both readings where nothing settles it", () => {
    const stop = failureOf(() => settleCells(["595", "-1,234 €"], AMOUNT));
    expect(stop.code).toBe("ambiguous-amount");
    expect(stop.message).toContain('line 3 "-1,234 €" is -1.234 or -1234');
    expect(stop.hint).toBe("--type column=amount:, or --type column=amount:.");
  });

  it("is asked for with the first cell of each mark: what groups in one begins decimals in the other", () => {
    const stop = failureOf(() => settleCells(["12", "7.557", "576,578", "8.123"], AMOUNT));
    expect(stop.message).toContain(
      'line 3 "7.557" is 7557 or 7.557, and line 4 "576,578" is 576.578 or 576578',
    );
    expect(stop.hint).toBe("--type column=amount:, or --type column=amount:.");
  });

  it("may be the column's own, whatever the file's", () => {
    const type: FieldType = { kind: "amount", decimal: "," };
    expect(readCells(["1,234", "5.000"], type, { decimal: "." })).toEqual(["1.234", "5000"]);
    expect(told(settleCells(["1,234"], type))).toEqual(["decimal comma", "--type", false]);
  });

  it("is asked for by column where the others disagree", () => {
    const file = { a: [AMOUNT, ["1,50"]], b: [AMOUNT, ["1.50"]], c: [AMOUNT, ["1,234"]] } as const;
    const stop = failureOf(() => settleFile(file));
    expect(stop.hint).toBe("--type c=amount:, or --type c=amount:.");
  });

  it("is never settled by another column, and asked for by column where another has its own", () => {
    for (const other of ["1 437,50", "1.50"]) {
      const stop = failureOf(() => settleFile({ one: [AMOUNT, ["1.234"]], other: [AMOUNT, [other]] }));
      expect(stop).toMatchObject({ code: "ambiguous-amount", place: { line: 2 } });
      expect(stop.hint).toBe("--type one=amount:, or --type one=amount:.");
    }
  });

  it("stops at a contradiction, naming both cells", () => {
    const stop = failureOf(() => settleCells(["5,00", "1,234", "5.00"], AMOUNT));
    expect(stop.code).toBe("contradicting-formats");
    expect(stop.message).toContain(
      'line 4 "5.00" has a decimal point and line 2 "5,00" a decimal comma; whichever is named, rows with the other are invalid',
    );
  });
});

describe("a lone group", () => {
  it.each([
    ["1.250,00|12,50|1.459", "1250.00|12.50|1459"],
    ["1.234.567|1.459", "1234567|1459"],
    ["1,234,567|1,459|12.5", "1234567|1459|12.5"],
    ["-1,250.00 €|999|1,459 €", "-1250.00|999|1459"],
    ["1.459|1.459,5|100", "1459|1459.5|100"],
  ])("is read where cells of the column group by its sign: %s", (cells, amounts) => {
    expect(readCells(cells.split("|"), AMOUNT).join("|")).toBe(amounts);
  });

  it.each([
    ["1250,00|12,50|1.459", 'line 2 "1250,00" does not group by its sign'],
    ["12,50|1.459", "no other cell of the column groups by its sign"],
    ["12.50|1,459", "no other cell of the column groups by its sign"],
    ["12,50|1 250,00|1.459", 'line 3 "1 250,00" does not group by its sign'],
    ["12,50|1'250|1.459", 'line 3 "1\'250" does not group by its sign'],
    ["1.250,00|1\u202f250,00|1.459", 'line 3 "1\u202f250,00" does not group by its sign'],
    ["1.250,00|1250|1.459", 'line 3 "1250" does not group by its sign'],
  ])("stops the run where it is the last of %s", (column, why) => {
    const cells = column.split("|");
    const line = cells.length + 1;
    const stop = failureOf(() => settleCells(cells, AMOUNT));
    expect(stop).toMatchObject({ kind: "input", code: "lone-group", place: { line } });
    expect(stop.message).toContain(`line ${line} "${cells.at(-1)}" is 1459 or 1.459, and ${why}`);
  });

  it.each([
    [["12,50", "1.459"], "--type column=amount:, reads 1459; for 1.459 write 1,459 in the file"],
    [["12.50", "-1,459 €"], "--type column=amount:. reads -1459; for -1.459 write -1.459 € in the file"],
  ])("names the option that reads it, and the cell that is to be mended: %j", (cells, hint) => {
    expect(failureOf(() => settleCells(cells, AMOUNT)).hint).toBe(hint);
  });

  it("is asked about by column where another column has the other mark", () => {
    const stop = failureOf(() =>
      settleFile({ one: [AMOUNT, ["12,50", "1.459"]], other: [AMOUNT, ["12.5"]] }),
    );
    expect(stop.hint).toBe("--type one=amount:, reads 1459; for 1.459 write 1,459 in the file");
  });

  it("is what a pinned mark says, and none where the sign is the column's decimal mark", () => {
    const pinned = readCells(["1250,00", "12,50", "1.459"], AMOUNT, { decimal: "," });
    expect(pinned).toEqual(["1250.00", "12.50", "1459"]);
    expect(readCells(["1250.00", "12.50", "1.459"], AMOUNT)).toEqual(["1250.00", "12.50", "1.459"]);
  });

  it("is none of JSON numbers, which prove nothing either", () => {
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
