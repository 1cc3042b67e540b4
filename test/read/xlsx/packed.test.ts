import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { inspectSource } from "../../../src/read/inspect-source.ts";
import { openSource, type SourceContext } from "../../../src/read/source/open-source.ts";
import { makeFile } from "../../support/temp-files.ts";
import { escapeXml, textRow, workbookOf, workbookParts } from "../../support/workbook.ts";
import { zipOf } from "../../support/zip.ts";
import { readBook } from "./read-workbook.ts";

const book = workbookOf({ sheets: [{ rows: textRow(1, ["cle", "state"]) + textRow(2, ["A", "open"]) }] });
const OTHER = zipOf(["[Content_Types].xml", "xl/workbook.bin"].map((name) => ({ name, data: "x" })));

const CSV = zipOf([{ name: "a.csv", data: "a" }]);
const SPOILT = zipOf([{ name: "a.xlsx", data: book, crc: 1 }]);

async function open(bytes: Buffer, more: Partial<SourceContext> = {}) {
  const spoolDirectory = await mkdtemp(join(tmpdir(), "rec-push-test-"));
  const context = { stdin: () => Readable.from([]), spoolDirectory, ...more };
  const source = await openSource(await makeFile("orders.bin", bytes), context);
  return { source, left: () => readdir(spoolDirectory) };
}

/** Opens and inspects a file, and closes it. */
async function readPacked(bytes: Buffer, more: Partial<SourceContext>): Promise<void> {
  const { source } = await open(bytes, more);
  try {
    await inspectSource(source, {});
  } finally {
    await source.close();
  }
}

describe("a workbook inside a packed file", () => {
  it.each([
    ["gz", gzipSync(book)],
    ["zip", zipOf([{ name: "orders.xlsx", data: book }])],
    ["gz of two members", Buffer.concat([gzipSync(book.subarray(0, 2)), gzipSync(book.subarray(2))])],
  ])("is read from a .%s", async (_, bytes) => {
    expect((await readBook(bytes)).rows).toEqual([[2, "A", "open"]]);
  });

  it("leaves nothing behind", async () => {
    const { source, left } = await open(gzipSync(book));
    await inspectSource(source, { headerLine: 1 });
    expect(await left()).not.toEqual([]);
    await source.close();
    expect(await left()).toEqual([]);
  });

  it.each([
    ["of another kind", gzipSync(OTHER), "not-a-table", "a binary Excel workbook (.xlsb)"],
    ["cut off", gzipSync(book.subarray(0, -30)), "damaged-file", "the end of the archive is missing"],
    ["an archive", gzipSync(CSV), "not-a-table", "a packed file inside another"],
    ["of a packed file that is cut off", gzipSync(book).subarray(0, -30), "damaged-file", ""],
    ["in an archive with a wrong checksum", SPOILT, "damaged-file", "checksum"],
  ])("stops the run if it is %s", async (_, bytes, code, what) => {
    const spoolDirectory = await mkdtemp(join(tmpdir(), "rec-push-test-"));
    await expect(readPacked(bytes, { spoolDirectory })).rejects.toMatchObject({
      kind: "input",
      code: expect.stringContaining(code) as string,
      message: expect.stringContaining(what) as string,
    });
    expect(await readdir(spoolDirectory)).toEqual([]);
  });

  it("is bounded by maxInputBytes", async () => {
    const reading = readPacked(gzipSync(book), { maxInputBytes: 100 });
    await expect(reading).rejects.toMatchObject({ code: "too-long" });
  });
});

describe("a workbook", () => {
  it.each([
    ["in a file of its own", book],
    ["that is packed once more", gzipSync(book)],
  ])("%s is read no further once a signal has come", async (_, bytes) => {
    const stop = new AbortController();
    const { source, left } = await open(bytes, { stop: stop.signal });
    stop.abort();
    await expect(inspectSource(source, {})).rejects.toMatchObject({ kind: "interrupted" });
    await source.close();
    expect(await left()).toEqual([]);
  });
});

const FORMATS = [14, "dd/mm/yyyy"];
const [SHEET, STYLES, TEXTS, RELATIONS] = ["cells-0.xml", "looks.xml", "texts.xml", "main.xml.rels"];

/** A workbook whose second row holds these cells, with a change in one of its parts. */
function bookOf(cells: string, [part, from, to]: readonly string[] = []) {
  const rows = `${textRow(1, ["cle", "value", "more"])}<row r="2"><c r="A2" t="inlineStr"><is><t>K</t></is></c>${cells}</row>`;
  const parts = workbookParts({ sheets: [{ rows }], formats: FORMATS, strings: "<si><t>shared</t></si>" });
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

describe("a workbook that is no XML, or not what a workbook holds, is refused", () => {
  it.each([
    ["an element that another one closes", '<c r="B2"><v>1</x></c>'],
    ["something after its end", "", SHEET, "</worksheet>", "</worksheet><worksheet/>"],
    ["text after its end", "", SHEET, "</worksheet>", "</worksheet>x"],
    ["a tag in an attribute of its formats", DATE, STYLES, '"14"', '"<14"'],
    ["a format whose number cannot be read", DATE, STYLES, '"0"/><xf numFmtId="14"', '"0"/><xf numFmtId="x"'],
    ["a code of a format without number", OWN, STYLES, "<numFmt numFmtId", "<numFmt numFmt-Id"],
    ["a format without code", OWN, STYLES, "formatCode", "formatKode"],
    ["other formats than it names", DATE, RELATIONS, "/book/looks.xml", "/book/other.xml"],
    ["a cell in a format that is not there", '<c r="B2" s="9"><v>45377</v></c>'],
    ["a cell in a format without number", '<c r="B2" s=""><v>45377</v></c>'],
    ["a cell of text whose kind is another", '<c r="B2" t="n"><is><t>x</t></is></c>'],
    ["a cell of two values", '<c r="B2"><v>1</v><v>2</v></c>'],
    ["a cell of two texts", '<c r="B2" t="inlineStr"><is><t>x</t></is><is><t>y</t></is></c>'],
    ["an element of another kind for a value", '<c r="B2"><y:v xmlns:y="urn:y">1</y:v></c>'],
    ["a cell that says its kind twice", '<c r="B2" t="s" t="n"><v>0</v></c>'],
    ["elements in a text", SHARED, TEXTS, "shared", "sh<v>8</v>ared"],
    ["a column that has other letters", '<c r="B\u06612"><v>1</v></c>'],
    ["a reference to a character that is none", '<c r="B2" t="str"><v>a&#0;b</v></c>'],
    ["an instruction that cannot be read", DATE, STYLES, "<?xml", "<?<xml"],
  ])("with %s", async (_, cells, ...change) => {
    const refused = { kind: "input", code: "damaged-file" };
    await expect(readBook(bookOf(cells, change))).rejects.toMatchObject(refused);
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

  const NO_NUMBER = "is not a number as a workbook holds it";

  it.each([
    ["text of another element in its shared texts", SHARED, "shared", TEXTS, "<si>", "<si><is><t>q</t></is>"],
    ["an attribute of another kind", '<c r="B2" xmlns:y="urn:y" y:t="s"><v>7</v></c>', { number: "7" }],
    ["a truth that is none", '<c r="B2" t="b"><v>2</v></c>', fault(`2 ${NO_NUMBER}`)],
    ["a number of two signs", '<c r="B2"><v>+-5</v></c>', fault(`+-5 ${NO_NUMBER}`)],
  ])("with %s gives its own cell", async (_, cells, expected, ...change) => {
    expect(await second(bookOf(cells, change as string[]))).toEqual(expected);
  });

  it("gives no number in a format that it does not spell out: it may be a date", async () => {
    const code = escapeXml("dd/mm/yyyy");
    const bytes = bookOf(OWN, [STYLES, `<numFmt numFmtId="165" formatCode="${code}"/>`, ""]);
    const unclear = "the cell's format does not say whether 45377 is a number or a date";
    expect(await second(bytes)).toEqual(fault(unclear));
  });
});
