import { describe, expect, it } from "vitest";
import { PlainTexts } from "../../src/fields/plain-texts.ts";
import { isFilled } from "../../src/fields/totals/row-fill.ts";
import { findFirstText } from "../../src/fields/totals/watched-cells.ts";
import { AmountScan } from "../../src/fields/amount/amount-scan.ts";
import { ESCAPED, type SpannedRow } from "../../src/model/row.ts";

function has(text: string, texts = new PlainTexts()): boolean {
  const bytes = Buffer.from(`x${text}9`);
  return texts.has(bytes, 1, bytes.length - 1);
}

/** A word for each number: `BAB` for 28. */
function letters(number: number): string {
  return number
    .toString(26)
    .replaceAll(/./g, (digit) => String.fromCharCode(65 + Number.parseInt(digit, 26)));
}

/** A row of one cell, whose bytes are not its text if it is escaped. */
function rowOf(source: string, text: string): SpannedRow {
  const bytes = Buffer.from(source);
  return {
    line: 2,
    start: 0,
    end: bytes.length,
    cells: [text],
    firstCell: 0,
    width: 1,
    spans: {
      bytes,
      areRowsAdjacent: true,
      starts: Int32Array.of(0),
      ends: Int32Array.of(bytes.length),
      marks: Uint8Array.of(source === text ? 0 : ESCAPED),
      text: () => text,
      value: () => text,
    },
  };
}

describe("plain texts", () => {
  it.each([
    "CMD-000001",
    "Été 2016",
    "Nîmes",
    "payée",
    "N",
    "Nantes 44",
    "n/a",
    "Société n°1",
    "maison 5",
    "EU 5",
    "Mardi",
    "EUR",
    "le Havre",
  ])("are %j", (text) => {
    expect(has(text)).toBe(true);
  });

  it.each([
    "12 rue",
    "-5",
    " x",
    "\u00a0x",
    "œuvre",
    "× 5",
    "÷",
    "=A1",
    "#REF!",
    "€ 5",
    "null",
    "NaN.",
    "undefined",
    "EUR 5",
    "kr5",
    "US$ 5",
    "mardi 5 mai 2016",
    "juillet 5, 2016",
    "le 5 mai 2016",
    "Zł5",
    "n° 5",
    `${"a".repeat(65)} 5`,
  ])("are not %j", (text) => {
    expect(has(text)).toBe(false);
  });

  it("are judged by themselves, whatever came before", () => {
    const texts = new PlainTexts();
    // More words than are remembered.
    const words = Array.from(
      { length: 1000 },
      (_, at) => ["EUR", `W${"x".repeat(at % 7)}${at % 26}`, "mardi", "CMD"][at % 4]!,
    );
    for (const [at, word] of words.entries()) {
      const text = `${at % 3 === 0 ? word : letters(at)} ${at}`;
      expect([text, has(text, texts)]).toEqual([text, has(text)]);
    }
  });

  it("are words in a row that may be a total, unless their bytes are not their text", () => {
    const columns = {
      width: 1,
      nullsAt: [undefined],
      sent: [0],
      key: undefined,
      dates: [],
      digits: [],
      amounts: [],
    };
    const first = (source: string, text = source): number | undefined =>
      findFirstText(columns, rowOf(source, text), 1, new AmountScan(), new PlainTexts());
    expect(first("Total 5")).toBe(0);
    expect(first("EUR 5")).toBeUndefined();
    expect(first("EU\\u0052 5", "EUR 5")).toBeUndefined();
  });

  it("fill a cell, and spaces beyond ASCII do not", () => {
    expect(["Été", "x", "€"].map((text) => isFilled(rowOf(text, text), 0, undefined))).toEqual([
      true,
      true,
      true,
    ]);
    expect(["\u00a0", "\u202f", " "].map((text) => isFilled(rowOf(text, text), 0, undefined))).toEqual([
      false,
      false,
      false,
    ]);
  });
});
