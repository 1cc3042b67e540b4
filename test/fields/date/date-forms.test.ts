import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FormatPins } from "../../../src/fields/type-text.ts";
import { DATE, readCell, readCells, readOrStop } from "../read-as.ts";
import { LOCALES } from "./cldr-names.ts";
import { atNight, draws } from "../../support/draws.ts";
import { parted } from "../../support/parted.ts";

interface Day {
  readonly iso: string;
  readonly year: string;
  readonly month: string;
  readonly day: string;
}

/** Each day by night; by day each seventeenth, so that every day of a month comes, and every month. */
const STEP_MS = (atNight ? 1 : 17) * 86_400_000;
const DAYS: Day[] = [];
for (let ms = Date.UTC(1900, 0, 1); ms <= Date.UTC(2100, 11, 31); ms += STEP_MS) {
  const iso = new Date(ms).toISOString().slice(0, 10);
  DAYS.push({ iso, year: iso.slice(0, 4), month: iso.slice(5, 7), day: iso.slice(8) });
}
const NEAR = DAYS.filter(({ year }) => year >= "1970" && year <= "2069");
const NOT_AHEAD = NEAR.filter(({ iso }) => iso <= "2027-11-21");
const bare = (number: string): string => String(Number(number));

/** Reads all days as one column; returns the cells that are not read as their day. */
function findWrong(days: readonly Day[], write: (day: Day) => string, pins: FormatPins = {}): string[] {
  const values = readCells(days.map(write), DATE, pins);
  return days.flatMap((day, at) => (values[at] === day.iso ? [] : [`${write(day)}: ${values[at]}`]));
}

describe("every day from 1900 to 2100", () => {
  it.each<[string, (day: Day) => string]>([
    ["YYYY-MM-DD", ({ iso }) => iso],
    ["YYYY/M/D", ({ year, month, day }) => `${year}/${bare(month)}/${bare(day)}`],
    ["YYYYMMDD", ({ year, month, day }) => year + month + day],
    ["DD/MM/YYYY", ({ year, month, day }) => `${day}/${month}/${year}`],
    ["D.M.YYYY", ({ year, month, day }) => `${bare(day)}.${bare(month)}.${year}`],
    ["DD MM YYYY", ({ year, month, day }) => `${day} ${month} ${year}`],
    ["MM/DD/YYYY", ({ year, month, day }) => `${month}/${day}/${year}`],
    ["M-D-YYYY", ({ year, month, day }) => `${bare(month)}-${bare(day)}-${year}`],
    ["ISO 8601 with a time", ({ iso }) => `${iso}T23:59:59.999`],
    ["DD/MM/YYYY HH:MM", ({ year, month, day }) => `${day}/${month}/${year} 00:05`],
    ["midnight in a zone", ({ iso }) => `${iso}T00:00:00-05:00`],
  ])("reads back to itself from %s", (_, write) => {
    expect(findWrong(DAYS, write)).toEqual([]);
  });

  it.each<[string, (day: Day) => string]>([
    ["DD/MM/YY", ({ year, month, day }) => `${day}/${month}/${year.slice(2)}`],
    ["DD-MM-YY", ({ year, month, day }) => `${day}-${month}-${year.slice(2)}`],
    ["M/D/YY", ({ year, month, day }) => `${bare(month)}/${bare(day)}/${year.slice(2)}`],
    ["YY-MM-DD", ({ year, month, day }) => `${year.slice(2)}-${month}-${day}`],
  ])("reads back to itself from %s, 1970 to 2069", (_, write) => {
    expect(findWrong(NOT_AHEAD, write)).toEqual([]);
    expect(findWrong(NEAR, write, { pivotYear: 1970 })).toEqual([]);
  });

  it("reads back to itself from two digits under every pivot year", () => {
    for (let pivotYear = 1900; pivotYear <= 2000; pivotYear += 9) {
      const last = String(pivotYear + 99);
      const days = DAYS.filter(({ year }) => year >= String(pivotYear) && year <= last);
      const write = ({ year, month, day }: Day): string => `${day}/${month}/${year.slice(2)}`;
      expect(findWrong(days, write, { pivotYear })).toEqual([]);
    }
  });

  it("reads back to itself from the serial of the 1900 system and from epochs", () => {
    const serial = ({ iso }: Day): string => {
      const days = Date.parse(iso) / 86_400_000 + 25_569;
      return String(days < 61 ? days - 1 : days);
    };
    expect(findWrong(DAYS, serial, { dateFormat: "excel" })).toEqual([]);
    // In the first year of an epoch numbers stand for no date, or have another unit.
    const seconds = DAYS.filter(({ year }) => year !== "1970");
    const write = ({ iso }: Day): string => String(Date.parse(iso) / 1000);
    expect(findWrong(seconds, write, { dateFormat: "epoch" })).toEqual([]);
    const late = seconds.filter(({ iso }) => iso !== "1969-12-31");
    const writeLast = ({ iso }: Day): string => String(Date.parse(iso) + 86_399_999);
    expect(findWrong(late, writeLast, { dateFormat: "epoch-ms", timeZone: "UTC" })).toEqual([]);
  });
});

describe("dates as Intl writes them", () => {
  const year = DAYS.filter((day) => day.year === "2016");

  it.each(LOCALES)("are read in the long and the short style of %s", (locale) => {
    const short = { day: "numeric", month: "short", year: "numeric" } as const;
    for (const style of [{ dateStyle: "long" } as const, short]) {
      const writer = new Intl.DateTimeFormat(locale, { ...style, timeZone: "UTC" });
      expect(findWrong(year, ({ iso }) => writer.format(new Date(iso)))).toEqual([]);
    }
  });
});

describe("any text of digits, separators and names", () => {
  const token = fc.constantFrom(...parted`5|05|7|12|13|31|16|2016|/|-|.| |Jul|mar|T`);
  const text = fc.array(token, { minLength: 1, maxLength: 7 }).map((tokens) => tokens.join(""));
  const format = fc.constantFrom("DD/MM/YYYY", "MM/DD/YYYY", "YY-MM-DD", "YYYY-MM-DD");
  const isDate = (value: string): boolean => /^\d{4}-\d\d-\d\d$/.test(value);

  it("is a real calendar date or refused, under every pin", () => {
    fc.assert(
      fc.property(text, format, (cell, dateFormat) => {
        const value = readCell(cell, DATE, { dateFormat, pivotYear: 1970 });
        const isReal = isDate(value) && new Date(value).toISOString().startsWith(value);
        expect(isReal || value.startsWith("refused: ")).toBe(true);
      }),
      draws(400),
    );
  });

  it("stops without a pin where two pins read it differently, and else reads as the one pin that does", () => {
    fc.assert(
      fc.property(text, (cell) => {
        const pinned = (["DD/MM/YYYY", "MM/DD/YYYY"] as const).map((dateFormat) =>
          readCell(cell, DATE, { dateFormat, pivotYear: 1970 }),
        );
        const readings = [...new Set(pinned.filter(isDate))];
        const alone = readOrStop(cell, DATE, { pivotYear: 1970 });
        // A two-digit year may come first, which neither pin allows.
        const isSound =
          readings.length > 1 ? alone === "stopped" : !isDate(alone) || [...readings, alone][0] === alone;
        expect(isSound).toBe(true);
      }),
      draws(400),
    );
  });
});
