import { describe, expect, it } from "vitest";
import { parseBytes, parseConcurrency, parseCount, parseDuration, parseRate } from "../../src/cli/values.ts";

describe("option values", () => {
  it.each([
    ["500", 500],
    ["1", 1],
  ])("reads the count %s", (text, expected) => expect(parseCount("--batch-size", text)).toBe(expected));

  it.each(["0", "-1", "1.5", "1e3", "", " 1", "ten", "1234567890123"])("refuses the count %j", (text) => {
    expect(() => parseCount("--batch-size", text)).toThrow(/--batch-size .* whole number/);
  });

  it.each([
    ["auto", "auto"],
    ["1", 1],
    ["32", 32],
  ])("reads the concurrency %s", (text, expected) =>
    expect(parseConcurrency("--concurrency", text)).toBe(expected),
  );

  it.each(["0", "Auto", "", "-1", "1.5", "many"])("refuses the concurrency %j", (text) => {
    expect(() => parseConcurrency("--concurrency", text)).toThrow(
      /--concurrency .* whole number of at least 1/,
    );
  });

  it.each([
    ["65536", 65_536],
    ["512KiB", 524_288],
    ["1MiB", 1_048_576],
    ["1mb", 1_000_000],
    ["2 k", 2048],
  ])("reads the size %s", (text, expected) => expect(parseBytes("--batch-bytes", text)).toBe(expected));

  it.each(["0", "1.5MB", "1TB", "-1", "MB"])("refuses the size %j", (text) => {
    expect(() => parseBytes("--batch-bytes", text)).toThrow(/size such as/);
  });

  it.each([
    ["60", 60_000],
    ["500ms", 500],
    ["1.5s", 1500],
    ["15m", 900_000],
    ["2h", 7_200_000],
    ["0", 0],
  ])("reads the time %s", (text, expected) => expect(parseDuration("--timeout", text)).toBe(expected));

  it.each(["-1s", "1d", "s", "1 week", "999999999h"])("refuses the time %j", (text) => {
    expect(() => parseDuration("--timeout", text)).toThrow(/time such as/);
  });

  it.each([
    ["20", 20],
    ["0.5", 0.5],
  ])("reads the rate %s", (text, expected) => expect(parseRate("--rate", text)).toBe(expected));

  it.each(["0", "-1", "fast", "1e9", "0.0"])("refuses the rate %j", (text) => {
    expect(() => parseRate("--rate", text)).toThrow(/above 0/);
  });
});
