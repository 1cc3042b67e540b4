import { describe, expect, it } from "vitest";
import { XmlReader } from "../../../src/read/xlsx/xml-reader.ts";
import { textRow } from "../../support/workbook.ts";
import { cutBytesAt } from "../chunks.ts";
import { readBook } from "./read-workbook.ts";

/** The texts of a document in pieces of a size. */
async function textsOf(document: string, size: number): Promise<string[]> {
  const xml = new XmlReader("orders.xlsx", "part.xml");
  const texts: string[] = [];
  for await (const piece of cutBytesAt(Buffer.from(document), size)) {
    xml.feed(piece);
    while (xml.next()) if (xml.name === "t" && !xml.isOpening) texts.push(xml.text);
  }
  xml.end();
  return texts;
}

describe("the elements of a document", () => {
  const texts = [3, 90, 7, 400, 2, 60].map((length) => "é".repeat(length));
  const items = texts.map((text) => `<si><t a="1>2" >${text}</t><!-- > --><x><t>-</t></x></si>`);
  const whole = `\uFEFF<?xml version="1.0"?>\n<sst>${items.join("")}</sst>\n`;

  it.each([0, 1, 2, 3, 7, 50, 499, 500])("are all found in pieces of %i bytes", async (size) => {
    expect(await textsOf(whole, size)).toEqual(texts);
  });

  it.each([
    ["its end", whole.slice(0, -7)],
    ["an item's end", whole.slice(0, whole.indexOf("</si>"))],
    ["everything", "\n"],
  ])("are refused without %s, in pieces of any size", async (_, cut) => {
    for (const size of [0, 1, 7, 100])
      await expect(textsOf(cut, size)).rejects.toMatchObject({ code: "damaged-file" });
  });

  it("are refused with a tag of more attributes than a program writes", async () => {
    const document = (attributes: number): string => `<sst><si ${'a="" '.repeat(attributes)}/></sst>`;
    expect(await textsOf(document(256), 0)).toEqual([]);
    for (const attributes of [257, 1_500_000])
      await expect(textsOf(document(attributes), 0)).rejects.toMatchObject({ code: "damaged-file" });
  });

  it.each([
    ["a text without end", `<sst><si><t>${"x".repeat(10_000_000)}`],
    ["an attribute without end", `<sst><si a="${"x".repeat(10_000_000)}`],
    ["a comment without end", `<sst><!-- ${"x".repeat(10_000_000)}`],
  ])("are refused with %s, in bounded memory", async (_, endless) => {
    await expect(textsOf(endless, 262_144)).rejects.toMatchObject({
      code: "damaged-file",
      message: expect.stringContaining("longer than 8 MiB"),
    });
  });
});

it("refuses a workbook whose texts would not stay within the memory, and names the limit", async () => {
  const rows = textRow(1, ["cle", "value"]);
  const strings = `<si><t>${"x".repeat(32_000)}</t></si>`.repeat(2200);
  await expect(readBook({ sheets: [{ rows }], strings })).rejects.toMatchObject({
    code: "too-long",
    message: expect.stringContaining("the texts of the workbook are longer than 64 MiB"),
    hint: "save the sheet as CSV (UTF-8) and push that",
  });
});
