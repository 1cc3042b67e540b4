import { describe, expect, it } from "vitest";
import { readBook } from "./read-workbook.ts";
import { parted } from "../../support/parted.ts";
import { textRow, type TestWorkbook } from "../../support/workbook.ts";

const CODES = parted`
  dd/mm/yyyy hh:mm;@|0.0%|[h]:mm|h:mm|#,##0.00 "days"|[>100]0;[<=100]dd/mm/yy|0_);[Red](0)
  00000|0#" "##" "##" "##" "##|[Blue]"N° "000_)|0000-00|0.00;-0.0%
`;
const FORMATS = [14, ...CODES, 30];
const [DATE, DATE_TIME, PERCENT, ELAPSED, HOUR, DAYS, EITHER, SIGNED] = [1, 2, 3, 4, 5, 6, 7, 8];
const [POSTCODE, TELEPHONE, NUMBERED, MONTH, MIXED, BY_LANGUAGE] = [9, 10, 11, 12, 13, 14];
/** A cell of a value in a format. */
const cellOf = (value: string | number, format?: number): string =>
  `<c r="B2"${format === undefined ? "" : ` s="${format}"`}><v>${value}</v></c>`;
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
    ["a small number with an exponent", cellOf("1.5E-3"), number("0.0015")],
    ["a small number of a calculation", cellOf("-2.2999999999999909E-2"), number("-0.0229999999999999")],
    ["a whole number as Java writes it", cellOf("12.0"), number("12")],
    ["the largest power of ten that is certain", cellOf("1.0E14"), number("100000000000000")],
    ["1.1 as Excel stores it", cellOf("1.1000000000000001"), number("1.1")],
    ["the end of a calculation", cellOf("1437.4999999999998"), number("1437.5")],
    ["the longest whole number", cellOf("-999999999999999"), number("-999999999999999")],
    ["a number that is all but nothing", cellOf("1.5E-17"), number("0.000000000000000015")],
    ["a number that JSON writes otherwise", cellOf("+.5"), number("0.5")],
    ["a number with spaces around it", cellOf(" 7 "), number("7")],
    ["the number of a formula", '<c r="B2"><f>1+1</f><v>2</v></c>', number("2")],
    ["a number in a format with letters in quotes", cellOf("3", DAYS), number("3")],
    ["a number that is filled up with zeros", cellOf("1000", POSTCODE), "01000"],
    ["a telephone number", cellOf("123456789", TELEPHONE), "0123456789"],
    ["a number with a text before it", cellOf("7", NUMBERED), "007"],
    ["a number with a sign in it", cellOf("201607", MONTH), "201607"],
    ["decimals in a format without", cellOf("1.5", POSTCODE), number("1.5")],
    ["a negative number filled up", cellOf("-7", POSTCODE), number("-7")],
    ["a negative number in brackets", cellOf("-3", SIGNED), number("-3")],
    ["true", '<c r="B2" t="b"><v>1</v></c>', true],
    ["false", '<c r="B2" t="b"><v>0</v></c>', false],
    ["a date", cellOf("45377", DATE), "2024-03-26"],
    ["the last day before the false one", cellOf("59", DATE), "1900-02-28"],
    ["the first day after it", cellOf("61", DATE), "1900-03-01"],
    ["the last day", cellOf("2958465", DATE), "9999-12-31"],
    ["a date with its time", cellOf("45377.604166666664", DATE_TIME), "2024-03-26T14:30:00"],
    ["a time that is midnight but for noise", cellOf("45376.99999999999", DATE_TIME), "2024-03-26"],
    ["a time just before midnight", cellOf("45376.99999999", DATE_TIME), "2024-03-25T23:59:59.999"],
    ["a time of day", cellOf("0.60416666666666663", HOUR), "14:30:00"],
    ["an ISO date", '<c r="B2" t="d"><v>2024-03-26T00:00:00</v></c>', "2024-03-26T00:00:00"],
  ])("gives %s", async (_, cell, value) => {
    expect(await read(cell)).toEqual(value);
  });

  const NO_DATE = "the cell is formatted as a date or a time, and # is neither";
  const CUT = "a spreadsheet keeps 15 digits of a number, and # has more";
  const UNCLEAR = "the cell's format does not say whether # is a number or a date";
  const NO_NUMBER = "# is not a number as a workbook holds it";

  it.each([
    ["60", DATE, NO_DATE],
    ["2958466", DATE, NO_DATE],
    ["45377.5", HOUR, NO_DATE],
    ["0.12", PERCENT, "the cell shows # as a percentage"],
    ["1.5", ELAPSED, "the cell shows # as a duration"],
    ["50", EITHER, UNCLEAR],
    ["0.5", MIXED, UNCLEAR],
    ["45377", BY_LANGUAGE, UNCLEAR],
    ["1.23456789012345E+19", 0, CUT],
    ["12345678901234567890", POSTCODE, CUT],
    ["1000000000000000", 0, CUT],
    ["-1234567890123456.0", 0, CUT],
    ["007", 0, NO_NUMBER],
    ["INF", 0, NO_NUMBER],
  ])("refuses %s in format %i: %s", async (value, format, reason) => {
    expect(await read(cellOf(value, format))).toEqual(fault(reason.replace("#", value)));
  });

  it.each([
    ["an error", '<c r="B2" t="e"><v>#REF!</v></c>', "the cell holds the error #REF!"],
    ["a formula without value", '<c r="B2"><f>A1</f></c>', "the formula has no stored value"],
    ["a formula with an empty value", '<c r="B2"><f>A1</f><v></v></c>', "the formula has no stored value"],
    ["a NUL", '<c r="B2" t="s"><v>4</v></c>', "the text holds an invalid character"],
    ["half a pair", '<c r="B2" t="s"><v>6</v></c>', "the text holds an invalid character"],
  ])("refuses %s", async (_, cell, reason) => {
    expect(await read(cell)).toEqual(fault(reason));
  });

  it("is a date of the system that counts from 1904", async () => {
    const cell = (serial: number): string => cellOf(serial, DATE);
    expect(await read(cell(0), { is1904: true })).toBe("1904-01-01");
    expect(await read(cell(60), { is1904: true })).toBe("1904-03-01");
    expect(await read(cell(43915), { is1904: true })).toBe("2024-03-26");
  });

  it("is refused if it is a formula of a program that did not calculate", async () => {
    const calculation = '<calcPr calcId="124519" fullCalcOnLoad="1"/>';
    const formula = await read('<c r="B2"><f>A1+1</f><v>0</v></c>', { calculation });
    expect(formula).toEqual(fault("the formula has no stored value"));
    expect(await read(cellOf("7"), { calculation })).toEqual(number("7"));
  });

  it.each([
    ["of another row", '<c r="B3"><v>1</v></c>'],
    ["beyond the last column of a sheet", '<c r="XFE2"><v>1</v></c>'],
    ["out of order", '<c r="A2"><v>1</v></c>'],
    ["of an unknown kind", '<c r="B2" t="x"><v>1</v></c>'],
    ["with a text that is not there", '<c r="B2" t="s"><v>7</v></c>'],
    ["with a literal section", '<c r="B2" t="inlineStr"><is><t><![CDATA[a]]></t></is></c>'],
    ["with an entity", '<c r="B2" t="inlineStr"><is><t>&own;</t></is></c>'],
  ])("stops the run %s", async (_, cell) => {
    await expect(read(cell)).rejects.toMatchObject({ kind: "input", code: "damaged-file" });
  });
});
