import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backOffMs, parseRetryAfter } from "../../src/send/settings.ts";

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37);

describe("backOffMs", () => {
  it.each([
    [1, 500],
    [2, 1000],
    [3, 2000],
    [6, 16_000],
    [7, 30_000],
    [5000, 30_000],
  ])("waits before try %i + 1 at most %i ms", (attempt, most) => {
    const bounds = { baseMs: 500, capMs: 30_000 };
    expect(backOffMs(attempt, bounds, () => 1)).toBe(most);
    expect(backOffMs(attempt, bounds, () => 0.5)).toBe(most / 2);
    expect(backOffMs(attempt, bounds, () => 0)).toBe(0);
  });
});

describe("parseRetryAfter", () => {
  it.each([
    ["0", 0],
    ["120", 120_000],
    [" 5 ", 5000],
    ["Sun, 06 Nov 1994 08:49:39 GMT", 2000],
    ["Sun, 06 Nov 1994 08:49:00 GMT", 0],
    ["Sunday, 06-Nov-94 08:50:37 GMT", undefined],
    ["Mon, 07 Nov 1994 08:49:37 GMT", 86_400_000],
    [undefined, undefined],
    ["", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["1e3", undefined],
    ["9".repeat(400), undefined],
    ["Sun, 06 Foo 1994 08:49:37 GMT", undefined],
    ["Sun, 06 Nov 1994 25:49:37 GMT", undefined],
    ["Sun, 06 Nov 1994 08:49:37 CET", undefined],
    ["1994-11-06T08:49:37Z", undefined],
  ])("reads %j as %j", (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected);
  });

  it("reads back every date that Date writes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
        expect(parseRetryAfter(new Date(NOW + seconds * 1000).toUTCString(), NOW)).toBe(seconds * 1000);
      }),
    );
  });
});
