import { describe, expect, it } from "vitest";
import { packDay } from "../../src/fields/date/calendar.ts";
import type { FreshProfile, Profile } from "../../src/drift/profile.ts";
import { take } from "./synthetic-year.ts";

const isWeekend = (day: Date): boolean => day.getDay() % 6 === 0;
const isEnd = (day: Date): boolean =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + 2).getMonth() !== day.getMonth();

function fileOf(day: Date, rows: number): FreshProfile {
  const columns = [{ field: "cle", filled: rows }];
  return { day: packDay(day), file: "a.csv", hasHeader: true, rows, updates: rows, columns };
}

/** Half a year of working days with 1,000 rows each, fewer on Mondays, and `times` as many at month ends. */
function halfYear(times: number): Profile[] {
  const before: Profile[] = [];
  for (let at = 0; at < 179; at++) {
    const day = new Date(2026, 0, 1 + at);
    if (isWeekend(day)) continue;
    const quiet = day.getDay() === 1 && at % 3 === 0 ? 0.3 : 1;
    take(before, fileOf(day, Math.round(1000 * (isEnd(day) ? times : quiet))));
  }
  return before;
}

const LAST = new Date(2026, 5, 30);

describe("the file of a month's end", () => {
  it("that has fewer rows than a quiet day, and far fewer than every month's end, is reported", () => {
    const told = take(halfYear(3), fileOf(LAST, 300));
    expect(told).toMatchObject([{ aspect: "rows", before: 3000, now: 300 }]);
  });

  it.each([
    [3, 2000],
    [3, 1000],
    [10, 2000],
  ])(
    "is not reported if for once it is like another day (usually %i times more, now %i rows)",
    (times, rows) => {
      expect(take(halfYear(times), fileOf(LAST, rows))).toEqual([]);
    },
  );

  it("is a day like others where one month's end was", () => {
    const before = halfYear(3);
    const at = before.findIndex(({ day }) => day === 20260430);
    before[at] = { ...before[at]!, rows: 1000 };
    expect(take(before, fileOf(LAST, 300))).toEqual([]);
  });

  it("has its own rule: the same cut on another day is not reported", () => {
    expect(take(halfYear(3), fileOf(new Date(2026, 5, 24), 300))).toEqual([]);
  });
});
