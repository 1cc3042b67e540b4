import { describe, expect, it } from "vitest";
import { JsonNumber, NestedValue } from "../../../src/model/rows.ts";
import { AMOUNT, readCell, readCells } from "../read-as.ts";

// Of plain numbers with groups, a mark, a sign and a currency, amount-styles.test.ts draws all.
describe("an amount that reads one way only", () => {
  it.each([
    ["marks and groups", "1 437,50=1437.50|1’437’000,5=1437000.5|1.234.567,89=1234567.89|1234,567=1234.567"],
    ["zeros", "0,123=0.123|0.500=0.500|,5=0.5|.500=0.500|007=7|000=0|00.50=0.50"],
    ["signs", "−5=-5|- 5=-5|(5,00)=-5.00|( 5 )=-5|+5=5|5+=5|-0=0|-0,00=0.00"],
    ["signs beside a currency", "-€5.00=-5.00|5,00- €=-5.00|(5 €)=-5"],
    ["currencies", "5 €=5|USD5=5|US$ 5=5|£67.40=67.40|5 kr.=5|Fr. 5=5|12,5 euros=12.5|$.50=0.50"],
    ["spaces around it", "\u00a0 5 \t=5"],
    ["any length", "123456789012345678901234567890,123456789=123456789012345678901234567890.123456789"],
  ])("is read with %s: %s", (_, cells) => {
    for (const [cell = "", amount] of cells.split("|").map((pair) => pair.split("=")))
      expect([cell, readCell(cell, AMOUNT)]).toEqual([cell, amount]);
  });
});

describe("a cell that is no amount", () => {
  it.each([
    ["its digits are not grouped in threes, with digits after its last mark", "5,|5, -|12,-"],
    [
      "its digits are not grouped in threes, with digits after its last mark",
      "1 43,50|1,2,3|1,23,456|1234 567|1234,567.89|1.234.56|0 123|1,,234",
    ],
    [
      "its digits are not grouped in threes, with digits after its last mark",
      "1 234’567|1\u00a0234 567|1 234,567.89|1,234.567.890|1,234.567,89|1,234 567",
    ],
    [
      "it holds more than one number, or signs that do not belong to one",
      "1  437|5-3|2016-07-05|--5|-5-|(-5)|-(5)|5)|5 ()|(5|1/2|'5'|1.250,--",
    ],
    ["it has more than one currency sign", "€5€"],
    ["the dot before its digits may end the currency or begin the decimals", "Fr.5|EUR.50"],
    ["a percentage is not an amount", "5 %"],
    ["a spreadsheet has cut it to an exponent, its last digits are lost", "5.5E+05|1e+5"],
    ["it is an error of a spreadsheet formula", "#REF!|#N/A"],
    ["it is not a number", "NaN|-Infinity"],
    ["it holds no digits", "-|€|N/A|٥|."],
    ["it holds characters that do not belong to an amount", "12,50 ¤|5 apples|5 CR|–5|0x10"],
  ])("is refused because %s: %s", (reason, cells) => {
    for (const cell of cells.split("|"))
      expect([cell, readCell(cell, AMOUNT)]).toEqual([cell, `refused: ${reason}`]);
  });

  it.each([
    [true, "true is not an amount"],
    [new NestedValue("object"), "the object has no value of its own"],
    [new JsonNumber("1e401"), "its exponent is too large"],
  ])("refuses the JSON value %j", (cell, reason) => {
    expect(readCell(cell, AMOUNT)).toBe(`refused: ${reason}`);
  });
});

describe("a JSON number as an amount", () => {
  it.each([
    ["437.50", "437.50"],
    ["1.234", "1.234"],
    ["0.10", "0.10"],
    ["1e2", "100"],
    ["-0.0", "0.0"],
    ["-1.5", "-1.5"],
    ["12345678901234567890.123", "12345678901234567890.123"],
  ])("keeps the digits of %s whatever --decimal says", (source, amount) => {
    expect(readCell(new JsonNumber(source), AMOUNT)).toBe(amount);
    expect(readCell(new JsonNumber(source), AMOUNT, { decimal: "," })).toBe(amount);
  });

  it("says nothing about the strings beside it", () => {
    expect(readCells([new JsonNumber("1.5"), "1,5", "1,234"], AMOUNT)).toEqual(["1.5", "1.5", "1.234"]);
  });
});

describe("a pinned decimal mark", () => {
  it.each([
    [",", "1,234", "1.234"],
    [".", "1,234", "1234"],
    [",", "1.234", "1234"],
    [".", "1.234", "1.234"],
    [",", "012,345", "12.345"],
    [".", "012,345", "12345"],
    [",", "437.50", "refused: its decimal mark is the point, that of the column is not"],
    [".", "437,50", "refused: its decimal mark is the comma, that of the column is not"],
  ] as const)("%s reads %s as %s", (decimal, cell, expected) => {
    expect(readCell(cell, AMOUNT, { decimal })).toBe(expected);
  });
});
