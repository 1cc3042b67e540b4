import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonString } from "../../../src/prepare/prepare-records.ts";

describe("jsonString", () => {
  it.each([
    ["", '""'],
    ["437.50", '"437.50"'],
    ["Société Générale €", '"Société Générale €"'],
    ['Ecran 24"', String.raw`"Ecran 24\""`],
    ["C:\\tmp", String.raw`"C:\\tmp"`],
    ["a\nb\tc\u0000", String.raw`"a\nb\tc\u0000"`],
    ["😀", '"😀"'],
    ["\ud83d", String.raw`"\ud83d"`],
    ["x\ude00", String.raw`"x\ude00"`],
  ])("writes %j", (text, json) => {
    expect(jsonString(text)).toBe(json);
  });

  it("gives for any string what JSON.stringify gives", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
        (text, units) => {
          expect(jsonString(text)).toBe(JSON.stringify(text));
          expect(jsonString(units)).toBe(JSON.stringify(units));
        },
      ),
    );
  });

  it("never writes a lone surrogate", () => {
    const unit = fc.constantFrom("a", '"', "\ud83d", "\ude00", "😀");
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const written = jsonString(text);
        expect(Buffer.from(written).toString()).toBe(written);
      }),
    );
  });
});
