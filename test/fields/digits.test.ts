import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDigits } from "../../src/fields/key.ts";
import { type Cell, JsonNumber, NestedValue } from "../../src/model/rows.ts";
import { draws } from "../support/draws.ts";
import { parted } from "../support/parted.ts";

describe("readDigits", () => {
  it.each([
    ['=" 00123 "', "00123"],
    ["551 036", "551036"],
    ["1\u202f234\u202f567", "1234567"],
    ["551 035,00", "551035"],
    ["9".repeat(40), "9".repeat(40)],
    [new JsonNumber("551035"), "551035"],
    [new JsonNumber("5.51035e5"), "551035"],
    [new JsonNumber("551035.000"), "551035"],
    [new JsonNumber("12345678901234567890"), "12345678901234567890"],
  ])("reads %j as %s", (cell, digits) => {
    expect(readDigits(cell)).toBe(digits);
  });

  it.each<[string, readonly Cell[]]>([
    [
      "it holds more than digits",
      parted`16000162 16000163|551  036|1 234\u00a0567|1234 567|12 34|.00|C551035`,
    ],
    ["it holds more than digits", parted`="C12"|="|'|٥٥١`],
    ["a spreadsheet has cut it to an exponent, its last digits are lost", ["5.51035E+05", "551e+3"]],
    ["it holds more than digits", ["551,000", "551.5", "551e3", "-551035", new JsonNumber("-5")]],
    ["it is an error of a spreadsheet formula", ["#N/A"]],
    ["it is not a whole number", [new JsonNumber("1.5")]],
    ["its exponent is too large", [new JsonNumber("1e999")]],
    ["false is not a number", [false]],
    ["the object has no value of its own", [new NestedValue("object")]],
  ])("refuses because %s: %j", (reason, cells) => {
    for (const cell of cells) expect(readDigits(cell)).toMatchObject({ reason });
  });

  it("keeps the digits of a number in every form that can be undone", () => {
    const forms = fc.constantFrom<(digits: string) => string>(
      (digits) => digits,
      (digits) => `  ${digits}\u00a0`,
      (digits) => `="${digits}"`,
      (digits) => `'${digits}`,
      (digits) => `${digits}.0`,
      (digits) => `${digits},00`,
      (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "\u00a0"),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,20}$/), forms, (digits, form) => {
        expect(readDigits(form(digits))).toBe(digits);
      }),
    );
  });

  it("gives digits only, whatever the cell holds", () => {
    const text = fc.string({
      unit: fc.constantFrom("0", "1", "7", " ", "\u00a0", ".", ",", "'", '"', "=", "E", "+", "-"),
    });
    fc.assert(
      fc.property(text, (cell) => {
        const value = readDigits(cell);
        if (typeof value !== "string") return;
        expect(value).toMatch(/^\d+$/);
        expect(cell.replace(/\D/g, "").startsWith(value)).toBe(true);
      }),
      draws(400),
    );
  });
});
