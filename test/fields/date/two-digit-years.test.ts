import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readerOf } from "../../../src/fields/survey/column-format.ts";
import { type FieldType, type FormatPins, parseType, spellType } from "../../../src/fields/type-text.ts";
import { DATE, readCell, readCells, settleCells, settleFile, TODAY } from "../read-as.ts";
import { failureOf } from "../survey/survey-support.ts";
import { draws } from "../../support/draws.ts";

const FRENCH = { dateFormat: "DD/MM/YYYY" } as const;

function stopOfColumn(name: string, cells: readonly string[], pins: FormatPins = FRENCH, today = TODAY) {
  return failureOf(() => settleFile({ [name]: [DATE, cells] }, pins, today));
}

describe("a year of two digits", () => {
  it.each([
    ["2027-11-21", "21/11/27|21-11-27|21 nov 27|Nov 21, 27"],
    ["1970-01-01", "01/01/70"],
    ["2045-03-14", "14/03/2045|14 mars 2045|2045-03-14"],
  ])("is read up to a year ahead, and with four digits anyhow: %s", (date, cells) => {
    for (const cell of cells.split("|")) expect([cell, readCell(cell, DATE, FRENCH)]).toEqual([cell, date]);
  });

  it.each([
    ["22 November", "27", "22/11/27"],
    ["14 March", "45", "14/03/45|14-03-45|14.3.45|14-mar-45"],
    ["29 February", "48", "29/02/48"],
  ])("further ahead stops the run with both centuries: %s of %s", (day, year, cells) => {
    for (const cell of cells.split("|")) {
      const stop = stopOfColumn("date_naissance", ["12/03/12", cell]);
      expect(stop).toMatchObject({ kind: "input", code: "open-century", place: { line: 3 } });
      expect(stop.message).toContain(`line 3 "${cell}" is ${day} 19${year} or ${day} 20${year}`);
      expect(stop.hint).toBe(`--type date_naissance=date:${year} or --type date_naissance=date:70`);
    }
  });

  it("is one of the hundred years from the pivot year on, of the column before that of the file", () => {
    for (const pivotYear of [1900, 1944, 1945, 1970, 2000]) {
      const date = pivotYear <= 1944 ? "1944-03-14" : "2044-03-14";
      expect(readCell("14/03/44", DATE, { ...FRENCH, pivotYear })).toBe(date);
      expect(readCell("14/03/44", { kind: "date", pivotYear }, { ...FRENCH, pivotYear: 1920 })).toBe(date);
    }
  });

  it("is never sent as more than a year ahead unless a pivot year says so", () => {
    const two = (min: number, max: number) =>
      fc.integer({ min, max }).map((part) => String(part).padStart(2, "0"));
    const cell = fc
      .tuple(two(1, 31), two(1, 12), two(0, 99), fc.constantFrom("/", "-", ".", " "))
      .map(([first, second, third, sign]) => [first, second, third].join(sign));
    const formats = ["DD/MM/YYYY", "MM/DD/YYYY", "YY-MM-DD"] as const;
    const pins = fc.constantFrom({}, ...formats.map((dateFormat) => ({ dateFormat })));
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), pins, (texts, pins) => {
        let dates: string[] = [];
        try {
          dates = readCells(texts, DATE, pins);
        } catch {}
        for (const date of dates) expect(date.startsWith("refused") || date <= "2027-11-21").toBe(true);
      }),
      draws(600),
    );
  });
});

describe("a two-digit year that may come first", () => {
  it.each([
    ["slashes", "16/07/05|16/07/13|16/07/28"],
    ["dots", "16.07.05|16.07.13"],
    ["spaces", "16 07 05|16 07 13"],
    ["dashes", "16-07-05|16-07-13"],
    ["a month's invoices", "17/07/16|16/07/16|25/07/16"],
    ["a month of one digit", "26/3/24"],
    ["a date that would lie ahead", "28/03/24"],
    ["one date again and again", "26/03/24|26/03/24"],
  ])("stops the run: %s", (_, column) => {
    const cells = column.split("|");
    const stop = failureOf(() => settleCells(cells, DATE));
    expect(stop).toMatchObject({ code: "ambiguous-date", place: { line: 2 } });
    expect(stop.hint).toBe("--type column=date:DD/MM/YYYY or --type column=date:YY-MM-DD");
    expect(() => settleCells(cells, DATE, { dateFormat: "YY-MM-DD", pivotYear: 1970 })).not.toThrow();
  });

  it.each([
    ["a date that has its year last", "16/07/99"],
    ["one digit in front", "6/07/13"],
    ["a year of four digits behind", "16/07/2013"],
  ])("is last if a value proves it: %s", (_, cell) => {
    expect(settleCells(["16/07/05", "16/07/13", cell], DATE).format).toBe("DD/MM/YYYY");
  });

  it("is last if a value of another column of the file proves it", () => {
    const file = (other: string) => ({
      a: [DATE, ["16/12/25", "17/01/26"]] as const,
      b: [DATE, [other]] as const,
    });
    expect(settleFile(file("16/12/99"))[0]!.format).toBe("DD/MM/YYYY");
    // A year of four digits says nothing of two.
    for (const other of ["16/12/1999", "28/03/24"])
      expect(failureOf(() => settleFile(file(other))).code).toBe("ambiguous-date");
  });

  it("is asked for where one value proves it first and another last", () => {
    const stop = failureOf(() => settleCells(["26/03/24", "5/03/24", "45/03/14"], DATE));
    expect(stop.code).toBe("contradicting-formats");
    expect(stop.message).toContain('line 3 "5/03/24" and line 4 "45/03/14" have no order');
    const { spec } = settleCells(["99-12-31", "98-12-31"], DATE);
    expect(readerOf(spec)("45/03/14")).toBe("2045-03-14");
  });
});

describe("a pivot year in a type", () => {
  it.each<[string, FieldType]>([
    ["date:45", { kind: "date", pivotYear: 1945 }],
    ["date:DD/MM/YYYY:05", { kind: "date", format: "DD/MM/YYYY", pivotYear: 1905 }],
    ["date:epoch-ms:70", { kind: "date", format: "epoch-ms", pivotYear: 1970 }],
    ["date:2000", { kind: "date", pivotYear: 2000 }],
  ])("is read and written alike: %s", (text, type) => {
    expect(parseType(text, "--type d")).toEqual(type);
    expect(spellType(type)).toBe(text);
  });
});
