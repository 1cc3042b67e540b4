import { describe, expect, it } from "vitest";
import { fieldOptions } from "../survey/survey-support.ts";
import { CSV, surveyed } from "./bulk-support.ts";

/** Sixty rows of three days, at midnight but for some. */
function tableWith(odd: Readonly<Record<number, string>>): string {
  const rows = Array.from(
    { length: 60 },
    (_, at) => `K${1000 + at};${551_000 + at};${odd[at] ?? `2016-07-2${5 + (at % 3)}T00:00:00`};x`,
  );
  return `${["cle;num_commande;date_billed;libelle", ...rows].join("\n")}\n`;
}

describe("among dates at midnight", () => {
  it.each<[string, Readonly<Record<number, string>>]>([
    ["another time", { 40: "2016-07-25T08:30:00" }],
    ["another time, and one in a zone", { 40: "2016-07-25T08:30:00", 50: "2016-07-25T00:00:00+02:00" }],
    ["one in a zone", { 50: "2016-07-25T00:00:00+02:00" }],
    ["another time, and another sign before one", { 10: "2016-07-25T08:30:00", 40: "2016-07-25x08:30:00" }],
    ["another time, and the hour 24", { 10: "2016-07-25T08:30:00", 40: "2016-07-25T24:00:00" }],
    ["a date alone", { 40: "2016-07-25", 50: "2016-07-26" }],
  ])("%s is surveyed and written as one after the other is", async (_, odd) => {
    const options = fieldOptions({ types: new Map([["libelle", { kind: "text" }]]), otherColumns: "drop" });
    const inBulk = await surveyed(tableWith(odd), CSV, options, 0, 0);
    expect(inBulk).toEqual(await surveyed(tableWith(odd), CSV, options, 0, Infinity));
  });
});
