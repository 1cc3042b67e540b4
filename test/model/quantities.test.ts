import { describe, expect, it } from "vitest";
import { showCount, showDuration, showInteger, showLines } from "../../src/model/counts.ts";

describe("quantities", () => {
  it.each([
    [0, "0 rows"],
    [1, "1 row"],
    [1203, "1,203 rows"],
  ])("counts %i", (value, expected) => expect(showCount(value, "row")).toBe(expected));

  it.each([
    ["batch", "2 batches"],
    ["process", "2 processes"],
    ["retry", "2 retries"],
    ["day", "2 days"],
  ])("makes the plural of %s", (unit, expected) => expect(showCount(2, unit)).toBe(expected));

  it("groups digits", () => expect(showInteger(1_000_000)).toBe("1,000,000"));

  it.each([
    [840, "0.8 s"],
    [59_900, "59.9 s"],
    [185_000, "3 min 05 s"],
    [7_620_000, "2 h 07 min"],
  ])("shows %i ms", (ms, expected) => expect(showDuration(ms)).toBe(expected));

  it.each([
    [7, 7, "line 7"],
    [2, 501, "lines 2-501"],
  ])("shows lines %i to %i", (first, last, expected) => expect(showLines(first, last)).toBe(expected));
});
