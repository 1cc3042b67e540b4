import { expect, test } from "vitest";
import { findSpans } from "../../../src/read/csv/csv-quote.ts";

test("names are spans of days if one begins where another ends", () => {
  expect(findSpans(["0 - 30", "31 - 60", "> 60"])).toEqual(["0 - 30", "31 - 60", "> 60"]);
  expect(findSpans(["60+", "30 to 60"])).toEqual(["60+", "30 to 60"]);
  expect(findSpans(["1 - 30", "45 - 60"])).toEqual([]);
});

test("a number is no span that follows itself", () => {
  expect(findSpans(["5 - 5", "9"])).toEqual([]);
  expect(findSpans(["6 - 5", "9"])).toEqual([]);
});

test("each of many numbers is read as one a few times, not once for every other", () => {
  let readings = 0;
  const number = Number;
  globalThis.Number = Object.assign((value: unknown) => {
    readings++;
    return number(value);
  }, number) as NumberConstructor;
  try {
    expect(findSpans(Array.from({ length: 1000 }, () => "1"))).toEqual([]);
  } finally {
    globalThis.Number = number;
  }
  expect(readings).toBeGreaterThan(0);
  expect(readings).toBeLessThan(10_000);
});
