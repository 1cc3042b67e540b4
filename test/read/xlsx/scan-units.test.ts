import { describe, expect, it } from "vitest";
import { passElement } from "../../../src/read/xlsx/workbook.ts";
import { MORE, OPEN, scanUnits, XmlScanner } from "../../../src/read/xlsx/xml-scanner.ts";
import { cutBytesAt } from "../chunks.ts";

const ITEM = Buffer.from("i");

/** The items of a document in pieces of a size. */
async function itemsOf(
  document: string,
  size: number,
  isFull?: () => boolean,
  onYield?: (items: number) => void,
): Promise<number> {
  const xml = new XmlScanner("orders.xlsx", "part.xml");
  let items = 0;
  const takeUnit = (): boolean => {
    const kind = xml.next();
    if (kind === MORE) return false;
    if (kind !== OPEN || !xml.is(ITEM)) return true;
    if (!passElement(xml)) return false;
    items++;
    return true;
  };
  for await (const _ of scanUnits(cutBytesAt(Buffer.from(document), size), xml, takeUnit, isFull))
    onYield?.(items);
  return items;
}

describe("the units of a document", () => {
  const item = (length: number): string => `<i><t>${"x".repeat(length)}</t></i>`;
  const whole = `<?xml version="1.0"?>\n<all>${[3, 90, 7, 400, 2, 60].map(item).join("")}</all>\n`;

  it.each([0, 1, 2, 3, 7, 50, 64, 100, 250, 499, 500, 501])(
    "are all found in pieces of %i bytes",
    async (size) => {
      expect(await itemsOf(whole, size)).toBe(6);
    },
  );

  it.each([0, 7, 100])(
    "are handed on before the next one where they fill the memory, in pieces of %i bytes",
    async (size) => {
      const handedOn = new Set<number>();
      expect(
        await itemsOf(
          whole,
          size,
          () => true,
          (items) => handedOn.add(items),
        ),
      ).toBe(6);
      expect([...handedOn].filter((items) => items > 0)).toEqual([1, 2, 3, 4, 5, 6]);
    },
  );

  it.each([
    ["its end", whole.slice(0, -8)],
    ["an item's end", whole.slice(0, whole.indexOf("</i>"))],
    ["everything", "\n"],
  ])("are refused without %s, in pieces of any size", async (_, cut) => {
    for (const size of [0, 1, 7, 100])
      await expect(itemsOf(cut, size)).rejects.toMatchObject({ code: "damaged-workbook" });
  });
});
