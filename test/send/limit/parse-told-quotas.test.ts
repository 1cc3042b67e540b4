import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseToldQuotas, type ToldQuota } from "../../../src/send/limit/told-limit.ts";

const NOW = Date.UTC(2026, 10, 22, 12);

function parse(headers: Readonly<Record<string, string>>): readonly ToldQuota[] {
  return parseToldQuotas((name) => headers[name], NOW);
}

const quota = (left: number, resetMs: number): ToldQuota => ({ left, resetMs });

describe("parseToldQuotas", () => {
  it.each<[string, Readonly<Record<string, string>>, readonly ToldQuota[]]>([
    ["nothing", {}, []],
    ["the draft", { ratelimit: '"default";r=50;t=30' }, [quota(50, 30_000)]],
    [
      "two rules",
      { ratelimit: '"a;r=9,t=1";r=5;t=1, "day";r=900;t=4000' },
      [quota(5, 1000), quota(900, 4_000_000)],
    ],
    ["what is left in the draft, but not until when", { ratelimit: '"x";r=3' }, []],
    ["draft 07", { ratelimit: "limit=100, remaining=50, reset=30" }, [quota(50, 30_000)]],
    ["three headers", { "ratelimit-remaining": "9", "ratelimit-reset": "30" }, [quota(9, 30_000)]],
    [
      "X-RateLimit with seconds",
      { "x-ratelimit-limit": "20", "x-ratelimit-remaining": "9", "x-ratelimit-reset": "30" },
      [quota(9, 30_000)],
    ],
    [
      "X-RateLimit with the time of day",
      { "x-ratelimit-remaining": "9", "x-ratelimit-reset": `${NOW / 1000 + 30}` },
      [quota(9, 30_000)],
    ],
    [
      "X-Rate-Limit with the time of day in milliseconds",
      { "x-rate-limit-remaining": "9", "x-rate-limit-reset": `${NOW + 1500}` },
      [quota(9, 1500)],
    ],
    [
      "a time that is past",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1500000000" },
      [quota(0, 0)],
    ],
    ["what is left, but not until when", { "x-ratelimit-remaining": "9" }, []],
    ["words", { ratelimit: "soon", "x-ratelimit-remaining": "few", "x-ratelimit-reset": "later" }, []],
  ])("reads %s", (_, headers, expected) => {
    expect(parse(headers)).toEqual(expected);
  });

  it("takes any text without a fault", () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^["a-z;,=rtqw0-9 -]*$/));
    fc.assert(
      fc.property(text, text, (ratelimit, rest) => {
        const found = [
          ...parse({ ratelimit }),
          ...parse({ "x-ratelimit-remaining": rest, "x-ratelimit-reset": rest }),
        ];
        for (const one of found)
          for (const value of Object.values(one)) expect(value).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
