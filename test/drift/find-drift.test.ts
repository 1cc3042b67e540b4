import { describe, expect, it } from "vitest";
import { findDrift, type Profile, type ProfiledColumn } from "../../src/drift/find-drift.ts";
import { DAY_MS, formatDate, packInstant } from "../../src/fields/date/calendar.ts";

const MONDAY = 20260105;

interface Drawn {
  readonly rows?: number;
  readonly updates?: number;
  readonly lacks?: string;
}

/** The file of a night. */
function night(at: number, { rows = 1000, updates = rows, lacks = "" }: Drawn = {}) {
  const day = packInstant(Date.parse(formatDate(MONDAY)) + at * DAY_MS);
  const columns: readonly ProfiledColumn[] = [
    { field: "cle", filled: updates },
    { field: "date_billed", filled: rows },
    { field: "paid_amount", filled: rows, sum: `${rows * 100}.00` },
    { field: "note", filled: rows },
  ];
  const kept = columns.filter(({ field }) => field !== lacks);
  return { day, file: "orders.csv", rows, updates, columns: kept } satisfies Profile;
}

const usual = (nights: number): Profile[] => Array.from({ length: nights }, (_, at) => night(at));

const aspects = (file: Profile, before: readonly Profile[]): readonly string[] =>
  findDrift(file, before).map(({ aspect }) => aspect);

describe("a file among those before it", () => {
  it("is reported from the fourth file on", () => {
    expect(aspects(night(2, { rows: 5 }), usual(2))).toEqual([]);
    expect(aspects(night(3, { rows: 5 }), usual(3))).toEqual(["rows"]);
  });

  it("is reported with its numbers", () => {
    const texts = (file: Profile): string =>
      findDrift(file, usual(20))
        .map(({ text }) => text)
        .join("; ");
    expect(texts(night(20, { rows: 90 }))).toBe("rows 1,000 -> 90");
    expect(texts(night(20, { rows: 9000 }))).toBe("rows 1,000 -> 9,000");
    expect(texts(night(20, { updates: 0 }))).toBe(
      "updates 1,000 and creates 0 -> updates 0 and creates 1,000",
    );
    expect(texts(night(20, { lacks: "note" }))).toBe(
      "the column of note is gone, which all of the last 20 files had",
    );
    const large = night(20);
    const columns = large.columns.map((column) =>
      column.sum === undefined ? column : { ...column, sum: "100000000.00" },
    );
    expect(texts({ ...large, columns })).toBe(
      "the sum of paid_amount is 100000.00 in 1,000 rows -> 100000000.00 in 1,000 rows",
    );
  });

  it("is reported from five times fewer or more rows on, and from sums thirty times larger or smaller", () => {
    const withRows = (rows: number) => aspects(night(20, { rows }), usual(20));
    // Ten rows more or less prove nothing.
    expect([191, 192, 5050, 5051].map(withRows)).toEqual([["rows"], [], [], ["rows"]]);
    const withSum = (sum: string) => {
      const columns = night(20).columns.map((column) =>
        column.sum === undefined ? column : Object.assign({}, column, { sum }),
      );
      return aspects({ ...night(20), columns }, usual(20));
    };
    const sums = ["3333.00", "3334.00", "3000000.00", "3000001.00"];
    expect(sums.map(withSum)).toEqual([["sum:paid_amount"], [], [], ["sum:paid_amount"]]);
  });

  it("is reported where updates become creates, not where a small share comes or goes, nor in few rows", () => {
    const before = (updates: number) => Array.from({ length: 20 }, (_, at) => night(at, { updates }));
    const kinds = (updates: number, now: number, rows = 1000) =>
      aspects(night(20, { rows, updates: now }), before(updates)).filter((aspect) => aspect === "updates");
    expect(kinds(1000, 749)).toEqual(["updates"]);
    expect(kinds(1000, 760)).toEqual([]);
    expect(kinds(300, 70)).toEqual(["updates"]);
    expect(kinds(300, 80)).toEqual([]);
    expect(kinds(1000, 0, 19)).toEqual([]);
  });

  it("is not reported for a column that some files lacked, nor for a large invoice in a small file", () => {
    const lacking = [0, 1, 2].map((at) => night(at, { lacks: "note" }));
    const large = [3, 4, 5].map((at) => night(at, { rows: 4000 }));
    expect(aspects(night(6, { lacks: "note" }), [...lacking, ...large])).toEqual([]);
    expect(aspects(night(6, { lacks: "note" }), large)).toContain("columns:note");
    const small = {
      ...night(20, { rows: 300 }),
      columns: [{ field: "paid_amount", filled: 10, sum: "100000.00" }],
    };
    expect(findDrift(small, usual(20)).filter(({ aspect }) => aspect.startsWith("sum"))).toEqual([]);
  });

  it("without rows is reported if other files have rows", () => {
    const columns = night(0, { rows: 0 }).columns.map(({ field }) => ({ field, filled: 0 }));
    expect(aspects({ ...night(20, { rows: 0 }), columns }, usual(20))).toEqual(["rows"]);
    const before: Profile[] = [];
    for (let at = 0; at < 5; at++) before.push({ ...night(at, { rows: 0 }), columns });
    expect(aspects({ ...night(5, { rows: 0 }), columns }, before)).toEqual([]);
    expect(aspects(night(5, { rows: 4 }), before)).toEqual([]);
  });
});
