import { describe, expect, it } from "vitest";
import { GROUPING_SPACE, isBlank, isSpace, SPACE, trimSpaces } from "../../src/fields/spreadsheet-text.ts";

const CODES = Array.from({ length: 0x10000 }, (_, code) => code);

describe("spaces", () => {
  it("knows every character that JavaScript trims", () => {
    const trimmed = CODES.filter((code) => String.fromCharCode(code).trim() === "");
    expect(trimmed.filter((code) => !isSpace(code))).toEqual([]);
  });

  it("are invisible signs too, and no others", () => {
    for (const mark of ["\u200b", "\u200e", "\u200f", "\u2060"])
      expect(trimSpaces(`${mark}5${mark}`)).toBe("5");
    for (const mark of ["a", "0", "\u00b7", "\u2212", "\u00ad", "\u0000"])
      expect(isSpace(mark.charCodeAt(0))).toBe(false);
  });

  it("are trimmed outside, of every kind, and kept inside", () => {
    expect(trimSpaces(" \u00a0\u202f\t1 437\ufeff\r\n")).toBe("1 437");
    expect(trimSpaces(" \u00a0 ")).toBe("");
    expect(["", " \u00a0\t", " - "].map(isBlank)).toEqual([true, true, false]);
  });

  it.each([
    ["group digits are four", GROUPING_SPACE, [0x20, 0xa0, 0x2009, 0x202f]],
    ["are the same in a regular expression", SPACE, CODES.filter(isSpace)],
  ])("that %s", (_, form, codes) => {
    const found = new RegExp(form);
    expect(CODES.filter((code) => found.test(String.fromCharCode(code)))).toEqual(codes);
  });
});
