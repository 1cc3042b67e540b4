import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanAmount } from "../../src/fields/amount/amount.ts";
import { scanDate, ScannedDate } from "../../src/fields/date/date.ts";
import { readDigits } from "../../src/fields/digits.ts";
import { PlainTexts } from "../../src/fields/plain-texts.ts";
import { draws } from "../support/draws.ts";

function has(text: string, texts = new PlainTexts()): boolean {
  return texts.has(text);
}

/** A word for each number: `BAB` for 28. */
function letters(number: number): string {
  return number
    .toString(26)
    .replaceAll(/./g, (digit) => String.fromCharCode(65 + Number.parseInt(digit, 26)));
}

describe("plain texts", () => {
  it.each([
    "CMD-000001",
    "Été 2016",
    "Nîmes 1",
    "N 2",
    "Nantes 44",
    "Société n°1",
    "maison 5",
    "EU 5",
    "Mardi 5",
    "le Havre 76",
  ])("are %j", (text) => {
    expect(has(text)).toBe(true);
  });

  it.each([
    "12 rue",
    "-5",
    " x5",
    "\u00a0x5",
    "œuvre 5",
    "× 5",
    "÷5",
    "=A1",
    "#REF5!",
    "€ 5",
    "EUR 5",
    "kr5",
    "US$ 5",
    "mar 5 2016",
    "juillet 5, 2016",
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

  it("are neither dates nor amounts nor digits, whatever they begin with", () => {
    const words =
      "CMD été Été le Le am mardi juillet JUL mai mar Marc segunda EUR Eur USD US A kr Fr zł × the x de".split(
        " ",
      );
    const part = fc.oneof(
      fc.constantFrom(...words),
      fc.constantFrom("5", "12", "2016", "05/07/2016", "1 234,50", "12.5", "16", "0"),
    );
    const sign = fc.constantFrom(" ", "-", "", "$", ".", ", ", "\u00a0", "°", "_", "-feira ", "/");
    const text = fc
      .array(fc.tuple(part, sign), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.flat().slice(0, -1).join(""));
    let plain = 0;
    fc.assert(
      fc.property(text, (said) => {
        if (!/\d/.test(said) || !has(said)) return;
        plain += 1;
        expect(scanAmount(said)).toBeTypeOf("string");
        expect(scanDate(said)).not.toBeInstanceOf(ScannedDate);
        expect(readDigits(said)).toBeTypeOf("object");
      }),
      draws(1000),
    );
    expect(plain).toBeGreaterThan(40);
  });
});
