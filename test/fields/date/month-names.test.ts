import { describe, expect, it } from "vitest";
import { MONTH_NAMES, monthOf, WEEKDAY_NAMES, weekdayOf } from "../../../src/fields/date/month-names.ts";
import { cldrNames } from "./cldr-names.ts";

const months = Array.from({ length: 12 }, (_, at) => at + 1);
const weekdays = Array.from({ length: 7 }, (_, at) => at);

describe("month names", () => {
  it.each(months)("knows every name that CLDR has for month %i", (month) => {
    const names = cldrNames("month", new Date(Date.UTC(2021, month - 1, 5)));
    expect(names.length).toBeGreaterThan(6);
    const spellings = names
      .map((name) => name.replaceAll(".", ""))
      .flatMap((name) => [name, name.toUpperCase(), name.normalize("NFD")]);
    expect(spellings.filter((name) => monthOf(name) !== month)).toEqual([]);
  });

  it.each(weekdays)("knows every name that CLDR has for day %i of the week", (day) => {
    const names = cldrNames("weekday", new Date(Date.UTC(2021, 7, 1 + day)));
    expect(names.length).toBeGreaterThan(6);
    expect(names.filter((name) => weekdayOf(name.replace(/-feira$|\.$/g, "")) !== day)).toEqual([]);
  });

  it.each([
    ["months", MONTH_NAMES],
    ["weekdays", WEEKDAY_NAMES],
  ])("gives no name to two %s", (_, table) => {
    const names = table.flatMap((line) => line.split(" "));
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(["jui", "j", "", "constructor", "2", "mardi"])("takes %j for no month", (name) => {
    expect(monthOf(name)).toBeUndefined();
  });
});
