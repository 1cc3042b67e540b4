import { describe, expect, it } from "vitest";
import { isBlank, isGroupingSpace, isSpace, trimSpaces } from "../../src/fields/spreadsheet-text.ts";

describe("spaces", () => {
  it("knows every character that JavaScript trims", () => {
    const codes = Array.from({ length: 0x10000 }, (_, code) => code);
    const trimmed = codes.filter((code) => String.fromCharCode(code).trim() === "");
    expect(trimmed.filter((code) => !isSpace(code))).toEqual([]);
  });

  it.each(["\u200b", "\u200e", "\u200f", "\u2060"])("takes the invisible %j for a space", (mark) => {
    expect(trimSpaces(`${mark}5${mark}`)).toBe("5");
  });

  it.each(["a", "0", "\u00b7", "\u2212", "\u00ad", "\u0000"])("takes %j for no space", (mark) => {
    expect(isSpace(mark.charCodeAt(0))).toBe(false);
  });

  it("trims outer spaces of every kind and keeps inner ones", () => {
    expect(trimSpaces(" \u00a0\u202f\t1 437\ufeff\r\n")).toBe("1 437");
    expect(trimSpaces(" \u00a0 ")).toBe("");
  });

  it.each([
    ["", true],
    [" \u00a0\t", true],
    [" - ", false],
  ])("says that %j is blank: %s", (text, blank) => {
    expect(isBlank(text)).toBe(blank);
  });

  it("groups digits with four kinds of space only", () => {
    const grouping = Array.from({ length: 0x10000 }, (_, code) => code).filter(isGroupingSpace);
    expect(grouping).toEqual([0x20, 0xa0, 0x2009, 0x202f]);
  });
});
