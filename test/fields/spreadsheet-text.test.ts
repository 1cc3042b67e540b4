import { describe, expect, it } from "vitest";
import { undoSpreadsheetText } from "../../src/fields/spreadsheet-text.ts";
import { AMOUNT, DATE, readCell, readCells, readOrStop } from "./read-as.ts";

describe("undoSpreadsheetText", () => {
  it.each([
    ['="00123"', "00123"],
    ['=" 00123 "', "00123"],
    ["'00123", "00123"],
    ["' 00123", "00123"],
    ['\'="00123"', "00123"],
    ['="\'t Hof"', "'t Hof"],
    ['="5"" pipe"', '5" pipe'],
    ['=""', ""],
  ])("takes the signs of %j away: %j", (text, bare) => {
    expect(undoSpreadsheetText(text)).toBe(bare);
  });

  it("leaves other texts as they are", () => {
    for (const text of ["00123", "=5", '="', '="12', '="a"&"b"', '="1";', '=T("1")', "", "12'50"])
      expect(undoSpreadsheetText(text)).toBe(text);
  });
});

describe("signs that keep a spreadsheet from reading a number", () => {
  it.each([
    [AMOUNT, '="12,50"', "12.50"],
    [AMOUNT, "'12,50", "12.50"],
    [AMOUNT, '="1 250,00"', "1250.00"],
    [AMOUNT, "'-5", "-5"],
    [AMOUNT, "'00123", "123"],
    [AMOUNT, '="12 €"', "12"],
    [DATE, '="05/05/2016"', "2016-05-05"],
    [DATE, "'2016-07-05", "2016-07-05"],
    [DATE, '="5 juillet 2016"', "2016-07-05"],
    [DATE, "'20160705", "2016-07-05"],
  ])("are undone in a column of %j: %s", (type, cell, value) => {
    expect(readCell(cell, type)).toBe(value);
  });

  it("leave what is inside as open as it is without them", () => {
    expect(readOrStop('="05/07/2016"', DATE)).toBe("stopped");
    expect(readCells(['="05/07/2016"', "26/07/2016"], DATE)).toEqual(["2016-07-05", "2016-07-26"]);
    expect(readOrStop('="1,234"', AMOUNT)).toBe("stopped");
  });

  it("are no amount where they do not match", () => {
    for (const cell of ["'12,50'", '="12,50', '="12"&"50"', "=12,50"])
      expect(readCell(cell, AMOUNT)).toMatch(/^refused: /);
  });
});
