import { describe, expect, it } from "vitest";
import { readDigits, readKey } from "../../src/fields/key.ts";
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

  it.each(["00123", "=5", '="', '="12', '="a"&"b"', '="1";', '=T("1")', "", "12'50"])(
    "leaves %j as it is",
    (text) => {
      expect(undoSpreadsheetText(text)).toBe(text);
    },
  );
});

describe("signs that keep a spreadsheet from reading a number", () => {
  it.each([
    ['="12,50"', "12.50"],
    ["'12,50", "12.50"],
    ['="1 250,00"', "1250.00"],
    ["'-5", "-5"],
    ["'00123", "123"],
    ['="12 €"', "12"],
  ])("are undone in amounts: %s", (cell, amount) => {
    expect(readCell(cell, AMOUNT)).toBe(amount);
  });

  it.each([
    ['="05/05/2016"', "2016-05-05"],
    ["'2016-07-05", "2016-07-05"],
    ['="5 juillet 2016"', "2016-07-05"],
    ["'20160705", "2016-07-05"],
  ])("are undone in dates: %s", (cell, date) => {
    expect(readCell(cell, DATE)).toBe(date);
  });

  it("leave what is inside as open as it is without them", () => {
    expect(readOrStop('="05/07/2016"', DATE)).toBe("stopped");
    expect(readCells(['="05/07/2016"', "26/07/2016"], DATE)).toEqual(["2016-07-05", "2016-07-26"]);
    expect(readOrStop('="1,234"', AMOUNT)).toBe("stopped");
  });

  it.each([["'00123"], ['="00123"'], ['\'="00123"']])("are undone in digits and keys alike: %s", (cell) => {
    expect(readDigits(cell)).toBe("00123");
    expect(readKey(cell)).toBe("00123");
  });

  it.each(["'12,50'", '="12,50', '="12"&"50"', "=12,50"])(
    "are no amount where they do not match: %s",
    (cell) => {
      expect(readCell(cell, AMOUNT)).toMatch(/^refused: /);
    },
  );
});
