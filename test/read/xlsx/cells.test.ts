import { describe, expect, it } from "vitest";
import { readBook } from "./read-workbook.ts";
import { textRow, type TestWorkbook } from "../../support/workbook.ts";

const FORMATS = [
  14,
  "dd/mm/yyyy hh:mm;@",
  "0.0%",
  "[h]:mm",
  "h:mm",
  '#,##0.00 "days"',
  "[>100]0;[<=100]dd/mm/yy",
  "0_);[Red](0)",
  "00000",
  '0#" "##" "##" "##" "##',
  '[Blue]"N° "000_)',
  "0000-00",
  "0.00;-0.0%",
];
const [DATE, DATE_TIME, PERCENT, ELAPSED, HOUR, DAYS, EITHER, SIGNED] = [1, 2, 3, 4, 5, 6, 7, 8];
const [POSTCODE, TELEPHONE, NUMBERED, MONTH, MIXED] = [9, 10, 11, 12, 13];
const STRINGS =
  '<si><t>shared</t></si><si><r><rPr><b/></rPr><t>ri</t></r><r><t xml:space="preserve">ch </t></r><rPh sb="0" eb="1"><t>PHONETIC</t></rPh><phoneticPr fontId="1"/></si><si/><si><t>line_x000D_\nbreak _x005F_x000D_</t></si><si><t>a_x0000_b</t></si><si><t>_xD83D__xDE00_</t></si><si><t>_xD83D_</t></si>';

/** Reads a cell, in the second column of the second row. */
async function read(cell: string, more: Partial<TestWorkbook> = {}): Promise<unknown> {
  const rows = `${textRow(1, ["cle", "value"])}<row r="2"><c r="A2" t="inlineStr"><is><t>K</t></is></c>${cell}</row>`;
  const book = await readBook({ sheets: [{ rows }], strings: STRINGS, formats: FORMATS, ...more });
  return book.rows[0]?.[2];
}

const number = (source: string): unknown => ({ number: source });
const fault = (reason: string): unknown => ({ fault: reason });

describe("a cell of a workbook", () => {
  it.each([
    ["shared text", '<c r="B2" t="s"><v>0</v></c>', "shared"],
    ["rich text without its phonetic run", '<c r="B2" t="s"><v>1</v></c>', "rich "],
    ["an empty shared text", '<c r="B2" t="s"><v>2</v></c>', ""],
    ["escaped characters", '<c r="B2" t="s"><v>3</v></c>', "line\r\nbreak _x000D_"],
    ["a pair of escaped halves", '<c r="B2" t="s"><v>5</v></c>', "\u{1f600}"],
    ["text in the cell", '<c r="B2" t="inlineStr"><is><t>a &lt; b &#233;</t></is></c>', "a < b é"],
    ["rich text in the cell", '<c r="B2" t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c>', "ab"],
    ["the text of a formula", '<c r="B2" t="str"><f>A1&amp;"x"</f><v>x, "y"</v></c>', 'x, "y"'],
    ["the empty text of a formula", '<c r="B2" t="str"><f>""</f><v></v></c>', ""],
    ["a cell without a reference", "<c><v>1</v></c>", number("1")],
    ["a whole number", '<c r="B2"><v>551036</v></c>', number("551036")],
    ["zeros at the end", '<c r="B2"><v>0.10</v></c>', number("0.10")],
    ["a small number with an exponent", '<c r="B2"><v>1.5E-3</v></c>', number("0.0015")],
    [
      "a small number of a calculation",
      '<c r="B2"><v>-2.2999999999999909E-2</v></c>',
      number("-0.0229999999999999"),
    ],
    ["a whole number as Java writes it", '<c r="B2"><v>12.0</v></c>', number("12")],
    ["a large number as Java writes it", '<c r="B2"><v>-1.2345678E7</v></c>', number("-12345678")],
    ["the largest power of ten that is certain", '<c r="B2"><v>1.0E14</v></c>', number("100000000000000")],
    ["1.1 as Excel stores it", '<c r="B2"><v>1.1000000000000001</v></c>', number("1.1")],
    ["the end of a calculation", '<c r="B2"><v>1437.4999999999998</v></c>', number("1437.5")],
    ["a sum of tenths", '<c r="B2"><v>0.30000000000000004</v></c>', number("0.3")],
    ["the longest whole number", '<c r="B2"><v>-999999999999999</v></c>', number("-999999999999999")],
    ["a number that is all but nothing", '<c r="B2"><v>1.5E-17</v></c>', number("0.000000000000000015")],
    ["a number that JSON writes otherwise", '<c r="B2"><v>+.5</v></c>', number("0.5")],
    ["a number with spaces around it", '<c r="B2"><v> 7 </v></c>', number("7")],
    ["the number of a formula", '<c r="B2"><f>1+1</f><v>2</v></c>', number("2")],
    ["a number in a format with letters in quotes", `<c r="B2" s="${DAYS}"><v>3</v></c>`, number("3")],
    ["a number that is filled up with zeros", `<c r="B2" s="${POSTCODE}"><v>1000</v></c>`, "01000"],
    ["a number with more digits than places", `<c r="B2" s="${POSTCODE}"><v>1234567</v></c>`, "1234567"],
    ["zero in places", `<c r="B2" s="${POSTCODE}"><v>0</v></c>`, "00000"],
    ["a telephone number", `<c r="B2" s="${TELEPHONE}"><v>123456789</v></c>`, "0123456789"],
    ["a number with a text before it", `<c r="B2" s="${NUMBERED}"><v>7</v></c>`, "007"],
    ["a number with a sign in it", `<c r="B2" s="${MONTH}"><v>201607</v></c>`, "201607"],
    ["decimals in a format without", `<c r="B2" s="${POSTCODE}"><v>1.5</v></c>`, number("1.5")],
    ["a negative number filled up", `<c r="B2" s="${POSTCODE}"><v>-7</v></c>`, number("-7")],
    ["a negative number in brackets", `<c r="B2" s="${SIGNED}"><v>-3</v></c>`, number("-3")],
    ["true", '<c r="B2" t="b"><v>1</v></c>', true],
    ["false", '<c r="B2" t="b"><v>0</v></c>', false],
    ["a date", `<c r="B2" s="${DATE}"><v>45377</v></c>`, "2024-03-26"],
    ["the last day before the false one", `<c r="B2" s="${DATE}"><v>59</v></c>`, "1900-02-28"],
    ["the first day after it", `<c r="B2" s="${DATE}"><v>61</v></c>`, "1900-03-01"],
    ["the first day", `<c r="B2" s="${DATE}"><v>1</v></c>`, "1900-01-01"],
    ["the last day", `<c r="B2" s="${DATE}"><v>2958465</v></c>`, "9999-12-31"],
    [
      "a date with its time",
      `<c r="B2" s="${DATE_TIME}"><v>45377.604166666664</v></c>`,
      "2024-03-26T14:30:00",
    ],
    [
      "a time that is midnight but for noise",
      `<c r="B2" s="${DATE_TIME}"><v>45376.99999999999</v></c>`,
      "2024-03-26",
    ],
    [
      "a time just before midnight",
      `<c r="B2" s="${DATE_TIME}"><v>45376.99999999</v></c>`,
      "2024-03-25T23:59:59.999",
    ],
    ["a time of day", `<c r="B2" s="${HOUR}"><v>0.60416666666666663</v></c>`, "14:30:00"],
    ["an ISO date", '<c r="B2" t="d"><v>2024-03-26T00:00:00</v></c>', "2024-03-26T00:00:00"],
    ["a date of a formula", `<c r="B2" s="${DATE}"><f>TODAY()</f><v>45377</v></c>`, "2024-03-26"],
  ])("gives %s", async (_, cell, value) => {
    expect(await read(cell)).toEqual(value);
  });

  it.each([
    ["an error", '<c r="B2" t="e"><v>#REF!</v></c>', "the cell holds the error #REF!"],
    [
      "an error of a formula",
      '<c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c>',
      "the cell holds the error #DIV/0!",
    ],
    ["a formula without value", '<c r="B2"><f>A1</f></c>', "the formula has no stored value"],
    ["a formula with an empty value", '<c r="B2"><f>A1</f><v></v></c>', "the formula has no stored value"],
    [
      "29 February 1900",
      `<c r="B2" s="${DATE}"><v>60</v></c>`,
      "the cell is formatted as a date or a time, and 60 is none",
    ],
    [
      "day 0",
      `<c r="B2" s="${DATE}"><v>0</v></c>`,
      "the cell is formatted as a date or a time, and 0 is none",
    ],
    [
      "a day before the first",
      `<c r="B2" s="${DATE}"><v>-1</v></c>`,
      "the cell is formatted as a date or a time, and -1 is none",
    ],
    [
      "a day after the last",
      `<c r="B2" s="${DATE}"><v>2958466</v></c>`,
      "the cell is formatted as a date or a time, and 2958466 is none",
    ],
    ["a percentage", `<c r="B2" s="${PERCENT}"><v>0.12</v></c>`, "the cell shows 0.12 as a percentage"],
    ["a duration", `<c r="B2" s="${ELAPSED}"><v>1.5</v></c>`, "the cell shows 1.5 as a duration"],
    [
      "a time that hides a date",
      `<c r="B2" s="${HOUR}"><v>45377.5</v></c>`,
      "the cell is formatted as a date or a time, and 45377.5 is none",
    ],
    [
      "a format by conditions",
      `<c r="B2" s="${EITHER}"><v>50</v></c>`,
      "the cell's format does not say whether 50 is a number or a date",
    ],
    [
      "a number that a spreadsheet cut",
      '<c r="B2"><v>1.23456789012345E+19</v></c>',
      "a spreadsheet keeps 15 digits of a number, and 1.23456789012345E+19 has more",
    ],
    ...["12345678901234567890", "1000000000000000", "-1234567890123456.0"].map((long) => [
      `the whole number ${long}`,
      `<c r="B2"><v>${long}</v></c>`,
      `a spreadsheet keeps 15 digits of a number, and ${long} has more`,
    ]),
    [
      "a long number in places",
      `<c r="B2" s="${POSTCODE}"><v>12345678901234567890</v></c>`,
      "a spreadsheet keeps 15 digits of a number, and 12345678901234567890 has more",
    ],
    [
      "a format whose sections disagree",
      `<c r="B2" s="${MIXED}"><v>0.5</v></c>`,
      "the cell's format does not say whether 0.5 is a number or a date",
    ],
    ["zeros before a number", '<c r="B2"><v>007</v></c>', "007 is not a number as a workbook holds it"],
    ["no number", '<c r="B2"><v>INF</v></c>', "INF is not a number as a workbook holds it"],
    ["a NUL", '<c r="B2" t="s"><v>4</v></c>', "the text holds a character that is none"],
    ["half a pair", '<c r="B2" t="s"><v>6</v></c>', "the text holds a character that is none"],
  ])("refuses %s", async (_, cell, reason) => {
    expect(await read(cell)).toEqual(fault(reason));
  });

  it("is a date of the system that counts from 1904", async () => {
    const cell = (serial: number): string => `<c r="B2" s="${DATE}"><v>${serial}</v></c>`;
    expect(await read(cell(0), { is1904: true })).toBe("1904-01-01");
    expect(await read(cell(60), { is1904: true })).toBe("1904-03-01");
    expect(await read(cell(43915), { is1904: true })).toBe("2024-03-26");
  });

  it("is refused if it is a formula of a program that did not calculate", async () => {
    const calculation = '<calcPr calcId="124519" fullCalcOnLoad="1"/>';
    expect(await read('<c r="B2"><f>A1+1</f><v>0</v></c>', { calculation })).toEqual(
      fault("the formula has no stored value"),
    );
    expect(await read('<c r="B2"><v>7</v></c>', { calculation })).toEqual(number("7"));
  });

  it.each([
    ["of another row", '<c r="B3"><v>1</v></c>'],
    ["out of order", '<c r="A2"><v>1</v></c>'],
    ["of an unknown kind", '<c r="B2" t="x"><v>1</v></c>'],
    ["with a text that is not there", '<c r="B2" t="s"><v>7</v></c>'],
    ["with a literal section", '<c r="B2" t="inlineStr"><is><t><![CDATA[a]]></t></is></c>'],
    ["with an entity", '<c r="B2" t="inlineStr"><is><t>&own;</t></is></c>'],
  ])("stops the run %s", async (_, cell) => {
    await expect(read(cell)).rejects.toMatchObject({ kind: "input", code: "damaged-workbook" });
  });
});
