import { expect, it } from "vitest";
import { SharedStrings } from "../../../src/read/xlsx/shared-strings.ts";
import { textRow } from "../../support/workbook.ts";
import { readBook } from "./read-workbook.ts";

function textOf(index: number): string {
  if (index % 97 === 0) return "";
  const length = index % 2000 === 1999 ? 70_000 + (index % 1000) : 30 + ((index * 7919) % 20);
  return `"${"x".repeat(length)}${index}"`;
}

it("gives each text as it came, in any order, and says how many bytes they take", () => {
  const strings = new SharedStrings();
  const texts = Array.from({ length: 12_000 }, (_, index) => textOf(index));
  for (const text of texts) strings.add(Buffer.from(text));
  expect(strings.count).toBe(texts.length);
  expect(strings.bytes).toBe(texts.join("").length + 4 * texts.length);
  const other = texts.findIndex((_, at) => {
    const index = (at * 7919) % texts.length;
    return strings.find(index) !== texts[index];
  });
  expect(other).toBe(-1);
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
