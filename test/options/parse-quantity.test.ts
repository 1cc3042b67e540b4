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

describe("the value of an option", () => {
  it.each<[string, (text: string, option: string) => unknown, Readonly<Record<string, unknown>>]>([
    ["--batch-size", numberFrom(1), { "500": 500, "1": 1 }],
    ["--concurrency", parseConcurrency, { auto: "auto", "1": 1, "32": 32 }],
    [
      "--batch-bytes",
      parseBytes,
      { "65536": 65_536, "512KiB": 512 * 1024, "1MiB": 2 ** 20, "2 gib": 2 ** 31 },
    ],
    ["--timeout", parseDuration, { "60": 60_000, "500ms": 500, "1.5s": 1500, "15m": 900_000 }],
    ["--timeout", parseDuration, { "2h": 7_200_000, "0": 0 }],
    ["--rate", parseRate, { "20": 20, "0.5": 0.5 }],
    ["--max-invalid", parseRowLimit, { "20": { rows: 20 }, "0": { rows: 0 }, "1.5%": { percent: 1.5 } }],
    ["--port", numberFrom(0, 65_535), { "0": 0, "8700": 8700, "65535": 65_535 }],
  ])("%s is read", (option, parse, values) => {
    for (const [text, value] of Object.entries(values)) expect(parse(text, option)).toEqual(value);
  });

  it.each<[string, (text: string, option: string) => unknown, string, string]>([
    ["--batch-size", numberFrom(1), "0|-1|1.5|1e3|| 1|ten|1234567890123", "whole number"],
    ["--concurrency", parseConcurrency, "0|Auto||-1|1.5|many", "whole number of at least 1"],
    ["--batch-bytes", parseBytes, "0|1.5MiB|1TB|1MB|-1|MiB", "size such as"],
    ["--timeout", parseDuration, "-1s|1d|s|1 week|999999999h", "time such as"],
    ["--timeout", parseTimeout, "0", "expected a time above 0"],
    ["--rate", parseRate, "0|-1|fast|1e9|0.0", "above 0"],
    ["--max-invalid", parseRowLimit, "1.5|101%|-1|many", "expected a number of rows"],
    ["--port", numberFrom(0, 65_535), "65536|99999|-1|x|", "0 to 65535"],
    ["--safe-status", parseStatuses, "503,200", "expected 408 or"],
  ])("%s is refused if it is none: %#", (option, parse, texts, why) => {
    for (const text of texts.split("|"))
      expect(() => parse(text, option)).toThrow(new RegExp(`^${option} "${text}": .*${why}`));
  });

  it("may be statuses that settle nothing", () => {
    expect([...parseStatuses("503, 408", "--safe-status")]).toEqual([503, 408]);
  });
});
