import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanAmount } from "../../src/fields/amount/amount.ts";
import { scanDate, ScannedDate } from "../../src/fields/date/date.ts";
import { readDigits } from "../../src/fields/key.ts";
import { isPlainText } from "../../src/fields/plain-texts.ts";
import { draws } from "../support/draws.ts";
import { parted } from "../support/parted.ts";

describe("plain texts", () => {
  it("begin with a word that begins no date and no amount", () => {
    const plain = parted`CMD-000001|Été 2016|Nîmes 1|N 2|Nantes 44|Société n°1|maison 5|EU 5|Mardi 5|le Havre 76`;
    const others = parted`
      12 rue|-5| x5|\u00a0x5|œuvre 5|× 5|÷5|=A1|#REF5!|€ 5|EUR 5|kr5
      US$ 5|mar 5 2016|juillet 5, 2016|Zł5|n° 5
    `;
    expect([...plain, ...others].filter((text) => isPlainText(text))).toEqual(plain);
  });

  it("are neither dates nor amounts nor digits, whatever they begin with", () => {
    const words = parted`
      CMD|été|Été|le|Le|am|mardi|juillet|JUL|mai|mar|Marc|segunda
      EUR|Eur|USD|US|A|kr|Fr|zł|×|the|x|de
    `;
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
        if (!/\d/.test(said) || !isPlainText(said)) return;
        plain += 1;
        expect(scanAmount(said)).toBeTypeOf("string");
        expect(scanDate(said)).not.toBeInstanceOf(ScannedDate);
        expect(readDigits(said)).toBeTypeOf("object");
      }),
      draws(1000),
    );
    expect(plain).toBeGreaterThan(12);
  });
});
