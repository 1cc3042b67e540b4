import { describe, expect, it } from "vitest";
import {
  numberFrom,
  parseBytes,
  parseConcurrency,
  parseDuration,
  parseRate,
  parseRowLimit,
  parseStatuses,
  parseTimeout,
} from "../../src/options/quantities.ts";

describe("option values", () => {
  it.each([
    ["500", 500],
    ["1", 1],
  ])("reads the count %s", (text, expected) => expect(numberFrom(1)(text, "--batch-size")).toBe(expected));

  it.each(["0", "-1", "1.5", "1e3", "", " 1", "ten", "1234567890123"])("refuses the count %j", (text) => {
    expect(() => numberFrom(1)(text, "--batch-size")).toThrow(/--batch-size .* whole number/);
  });

  it.each([
    ["auto", "auto"],
    ["1", 1],
    ["32", 32],
  ])("reads the concurrency %s", (text, expected) =>
    expect(parseConcurrency(text, "--concurrency")).toBe(expected),
  );

  it.each(["0", "Auto", "", "-1", "1.5", "many"])("refuses the concurrency %j", (text) => {
    expect(() => parseConcurrency(text, "--concurrency")).toThrow(
      /--concurrency .* whole number of at least 1/,
    );
  });

  it.each([
    ["65536", 65_536],
    ["512KiB", 524_288],
    ["1MiB", 1_048_576],
    ["2 gib", 2_147_483_648],
  ])("reads the size %s", (text, expected) => expect(parseBytes(text, "--batch-bytes")).toBe(expected));

  it.each(["0", "1.5MiB", "1TB", "1MB", "-1", "MiB"])("refuses the size %j", (text) => {
    expect(() => parseBytes(text, "--batch-bytes")).toThrow(/size such as/);
  });

  it.each([
    ["60", 60_000],
    ["500ms", 500],
    ["1.5s", 1500],
    ["15m", 900_000],
    ["2h", 7_200_000],
    ["0", 0],
  ])("reads the time %s", (text, expected) => expect(parseDuration(text, "--timeout")).toBe(expected));

  it.each(["-1s", "1d", "s", "1 week", "999999999h"])("refuses the time %j", (text) => {
    expect(() => parseDuration(text, "--timeout")).toThrow(/time such as/);
  });

  it.each([
    ["20", 20],
    ["0.5", 0.5],
  ])("reads the rate %s", (text, expected) => expect(parseRate(text, "--rate")).toBe(expected));

  it.each(["0", "-1", "fast", "1e9", "0.0"])("refuses the rate %j", (text) => {
    expect(() => parseRate(text, "--rate")).toThrow(/above 0/);
  });

  it.each([
    ["20", { rows: 20 }],
    ["0", { rows: 0 }],
    ["1.5%", { percent: 1.5 }],
  ])("reads the limit of rows %s", (text, expected) =>
    expect(parseRowLimit(text, "--max-invalid")).toEqual(expected),
  );

  it.each(["1.5", "101%", "-1", "many"])("refuses the limit of rows %j", (text) => {
    expect(() => parseRowLimit(text, "--max-invalid")).toThrow(
      `--max-invalid "${text}": expected a number of rows`,
    );
  });

  it("reads statuses that settle nothing, and refuses others", () => {
    expect([...parseStatuses("503, 408", "--safe-status")]).toEqual([503, 408]);
    expect(() => parseStatuses("503,200", "--safe-status")).toThrow(
      /--safe-status "503,200": expected 408 or/,
    );
  });

  it("refuses no time at all for a request", () => {
    expect(() => parseTimeout("0", "--timeout")).toThrow(/--timeout "0": expected a time above 0/);
  });
});

describe("a port", () => {
  it.each([
    ["0", 0],
    ["8700", 8700],
    ["65535", 65_535],
  ])("reads the port %s", (text, expected) => expect(numberFrom(0, 65_535)(text, "--port")).toBe(expected));

  it.each(["65536", "99999", "-1", "x", ""])("refuses the port %j", (text) => {
    expect(() => numberFrom(0, 65_535)(text, "--port")).toThrow(/--port .* 0 to 65535/);
  });
});
