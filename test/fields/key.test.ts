import { describe, expect, it } from "vitest";
import { JsonNumber, NestedValue } from "../../src/model/row.ts";
import { readKey } from "../../src/fields/key.ts";

describe("readKey", () => {
  it.each([
    ["C0000001", "C0000001"],
    [" C 1\u00a0", "C 1"],
    ['="00123"', "00123"],
    ["00123", "00123"],
    ["5E11", "5E11"],
    ["#12", "#12"],
    ["#", "#"],
    ["NULLE", "NULLE"],
    ["NA", "NA"],
    ["=5", "=5"],
    [new JsonNumber("12345678901234567890"), "12345678901234567890"],
    [new JsonNumber("1e2"), "100"],
    [new JsonNumber("7.0"), "7"],
  ])("reads %j as %s", (cell, key) => {
    expect(readKey(cell)).toBe(key);
  });

  it.each(["", "  ", "\u00a0\u202f", '=""', '=" "', null, undefined])("takes %j for blank", (cell) => {
    expect(readKey(cell)).toBeUndefined();
  });

  it.each([
    "NULL",
    "null",
    " NULL ",
    "\\N",
    "N/A",
    "#N/A",
    "#REF!",
    "######",
    "NaN",
    "undefined",
    "None",
    '="NULL"',
    "5.5E+05",
    "5,5E+05",
    "5E+05",
    "5.5E11",
    "5.5e-7",
    new JsonNumber("1.5"),
    new JsonNumber("1e999"),
    true,
    new NestedValue("object"),
  ])("refuses %j", (cell) => {
    expect(readKey(cell)).toHaveProperty("reason");
  });
});
