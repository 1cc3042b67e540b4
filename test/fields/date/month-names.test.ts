import { describe, expect, it } from "vitest";
import { MONTH_NAMES, monthOf } from "../../../src/fields/date/calendar.ts";
import { cldrNames } from "./cldr-names.ts";

const months = Array.from({ length: 12 }, (_, at) => at + 1);

describe("month names", () => {
  it.each(months)("knows every name that CLDR has for month %i", (month) => {
    const names = cldrNames(new Date(Date.UTC(2021, month - 1, 5)));
    expect(names.length).toBeGreaterThan(6);
    const spellings = names
      .map((name) => name.replaceAll(".", ""))
      .flatMap((name) => [name, name.toUpperCase(), name.normalize("NFD")]);
    expect(spellings.filter((name) => monthOf(name) !== month)).toEqual([]);
  });

  it("gives no name to two months", () => {
    const names = MONTH_NAMES.flatMap((line) => line.split(" "));
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(["jui", "j", "", "constructor", "2", "mardi"])("takes %j for no month", (name) => {
    expect(monthOf(name)).toBeUndefined();
  });
});
