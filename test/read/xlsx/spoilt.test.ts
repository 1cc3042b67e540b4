import { describe, expect, it } from "vitest";
import { escapeXml, textRow, workbookParts, type TestWorkbook } from "../../support/workbook.ts";
import { zipOf } from "../../support/zip.ts";
import { readBook } from "./read-workbook.ts";

const FORMATS = [14, "dd/mm/yyyy"];
const [SHEET, STYLES, TEXTS, RELATIONS] = ["cells-0.xml", "looks.xml", "texts.xml", "main.xml.rels"];

/** A workbook whose second row holds these cells, with a change in one of its parts. */
function bookOf(cells: string, [part, from, to]: readonly string[] = [], more: Partial<TestWorkbook> = {}) {
  const rows = `${textRow(1, ["cle", "value", "more"])}<row r="2"><c r="A2" t="inlineStr"><is><t>K</t></is></c>${cells}</row>`;
  const parts = workbookParts({ sheets: [{ rows }], formats: FORMATS, ...more });
  return zipOf(
    parts.map(({ name, data }) => ({
      name,
      data: part !== undefined && name.endsWith(part) ? data.replace(from!, to!) : data,
    })),
  );
}

const DATE = '<c r="B2" s="1"><v>45377</v></c>';
const OWN = '<c r="B2" s="2"><v>45377</v></c>';
const SHARED = '<c r="B2" t="s"><v>0</v></c>';
const STRINGS = { strings: "<si><t>shared</t></si>" };

describe("a workbook that is no XML, or not what a workbook holds, is refused", () => {
  it.each([
    ["with an element that another one closes", bookOf('<c r="B2"><v>1</x></c>')],
    ["with a row that a cell closes", bookOf("", [SHEET, "</row></sheetData>", "</c></sheetData>"])],
    ["with something after its end", bookOf("", [SHEET, "</worksheet>", "</worksheet><worksheet/>"])],
    ["with text after its end", bookOf("", [SHEET, "</worksheet>", "</worksheet>x"])],
    ["with a tag in an attribute of its formats", bookOf(DATE, [STYLES, '"14"', '"<14"'])],
    [
      "with a format whose number cannot be read",
      bookOf(DATE, [STYLES, '"0"/><xf numFmtId="14"', '"0"/><xf numFmtId="x"']),
    ],
    [
      "with a code of a format without number",
      bookOf(OWN, [STYLES, "<numFmt numFmtId", "<numFmt numFmt-Id"]),
    ],
    ["with a format without code", bookOf(OWN, [STYLES, "formatCode", "formatKode"])],
    ["with a tag in its formats that cannot be read", bookOf(OWN, [STYLES, "<numFmt ", '<n t="b"umFmt '])],
    ["with a reference in its formats that means nothing", bookOf(OWN, [STYLES, "<numFmt ", "&x;numFmt "])],
    [
      "with a relation whose name cannot be read",
      bookOf(DATE, [RELATIONS, '<Relationship Id="f"', '<Rel"d"ationship Id="f"']),
    ],
    ["without the formats that it names", bookOf(DATE, [RELATIONS, "/book/looks.xml", "/book/other.xml"])],
    ["with a cell in a format that is not there", bookOf('<c r="B2" s="9"><v>45377</v></c>')],
    ["with a cell in a format that is no number", bookOf('<c r="B2" s="x1"><v>45377</v></c>')],
    ["with a cell in a format without number", bookOf('<c r="B2" s=""><v>45377</v></c>')],
    ["with an attribute whose name cannot be read", bookOf('<c r="B2" ;t="s"><v>0</v></c>', [], STRINGS)],
    ["with a cell of text whose kind is another", bookOf('<c r="B2" t="n"><is><t>x</t></is></c>')],
    ["with a cell of two values", bookOf('<c r="B2"><v>1</v><v>2</v></c>')],
    ["with a cell of two texts", bookOf('<c r="B2" t="inlineStr"><is><t>x</t></is><is><t>y</t></is></c>')],
    ["with an element of another kind for a value", bookOf('<c r="B2"><y:v xmlns:y="urn:y">1</y:v></c>')],
    ["with a cell that says its kind twice", bookOf('<c r="B2" t="s" t="n"><v>0</v></c>', [], STRINGS)],
    ["with elements in a text", bookOf(SHARED, [TEXTS, "shared", "sh<v>8</v>ared"], STRINGS)],
    ["with a column that has other letters", bookOf('<c r="B\u06612"><v>1</v></c>')],
    ["with a reference to a character that is none", bookOf('<c r="B2" t="str"><v>a&#0;b</v></c>')],
    ["with an instruction that cannot be read", bookOf(DATE, [STYLES, "<?xml", "<?<xml"])],
  ])("%s", async (_, bytes) => {
    await expect(readBook(bytes)).rejects.toMatchObject({ kind: "input", code: "damaged-workbook" });
  });

  it("with a part whose name differs where it lies", async () => {
    const bytes = bookOf(DATE);
    const directory = bytes.indexOf(Buffer.from("PK\x01\x02"));
    bytes[bytes.indexOf("looks.xml", directory)]! ^= 1;
    await expect(readBook(bytes)).rejects.toMatchObject({ kind: "input" });
  });
});

describe("a workbook", () => {
  const second = async (bytes: Buffer): Promise<unknown> => (await readBook(bytes)).rows[0]?.[2];
  const fault = (reason: string): unknown => ({ fault: reason });

  it.each([
    [
      "with text in its shared texts that is of another element",
      bookOf(SHARED, [TEXTS, "<si>", "<si><is><t>q</t></is>"], STRINGS),
      "shared",
    ],
    [
      "with an attribute of another kind",
      bookOf('<c r="B2" xmlns:y="urn:y" y:t="s"><v>7</v></c>', [], STRINGS),
      { number: "7" },
    ],
    [
      "with a truth that is none",
      bookOf('<c r="B2" t="b"><v>2</v></c>'),
      fault("2 is not a number as a workbook holds it"),
    ],
    [
      "with a number without digits",
      bookOf('<c r="B2"><v>E+20</v></c>'),
      fault("E+20 is not a number as a workbook holds it"),
    ],
    [
      "with a number of two signs",
      bookOf('<c r="B2"><v>+-5</v></c>'),
      fault("+-5 is not a number as a workbook holds it"),
    ],
  ])("%s gives its own cell", async (_, bytes, expected) => {
    expect(await second(bytes)).toEqual(expected);
  });

  it("gives no number in a format that it does not spell out: it may be a date", async () => {
    const code = escapeXml("dd/mm/yyyy");
    const bytes = bookOf(OWN, [STYLES, `<numFmt numFmtId="165" formatCode="${code}"/>`, ""]);
    expect(await second(bytes)).toEqual(
      fault("the cell's format does not say whether 45377 is a number or a date"),
    );
  });
});
