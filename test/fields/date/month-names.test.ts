import { expect, it } from "vitest";
import { MONTH_NAMES, monthOf } from "../../../src/fields/date/calendar.ts";
import { cldrNames } from "./cldr-names.ts";

it("names of months are those of CLDR, and each is that of one month", () => {
  for (let month = 1; month <= 12; month++) {
    const names = cldrNames(new Date(Date.UTC(2021, month - 1, 5)));
    expect(names.length).toBeGreaterThan(6);
    const spellings = names
      .map((name) => name.replaceAll(".", ""))
      .flatMap((name) => [name, name.toUpperCase(), name.normalize("NFD")]);
    expect(spellings.filter((name) => monthOf(name) !== month)).toEqual([]);
  }
  const names = MONTH_NAMES.flatMap((line) => line.split(" "));
  expect(new Set(names).size).toBe(names.length);
  expect("jui|j||constructor|2|mardi".split("|").filter((name) => monthOf(name) !== undefined)).toEqual([]);
});
