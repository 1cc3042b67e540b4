import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseToldQuotas, type ToldQuota } from "../../../src/send/limit/parse-told-quotas.ts";

const NOW = Date.UTC(2026, 10, 22, 12);

function parse(headers: Readonly<Record<string, string>>): readonly ToldQuota[] {
  return parseToldQuotas((name) => headers[name], NOW);
}

const quota = (
  left: number | undefined,
  resetMs: number | undefined,
  allowed?: number,
  windowMs?: number,
): ToldQuota => ({ left, resetMs, quota: allowed, windowMs });

describe("parseToldQuotas", () => {
  it.each<[string, Readonly<Record<string, string>>, readonly ToldQuota[]]>([
    ["nothing", {}, []],
    [
      "the draft",
      { ratelimit: '"default";r=50;t=30', "ratelimit-policy": '"default";q=100;w=60' },
      [quota(50, 30_000, 100, 60_000)],
    ],
    [
      "two rules, one of bytes",
      {
        ratelimit: '"a;,b";r=5;t=1, "day";r=900;t=4000, "bytes";r=1;t=9',
        "ratelimit-policy": '"a;,b";q=10;w=1,"day";q=1000;w=86400,"bytes";q=9;qu="content-bytes";w=9',
      },
      [quota(5, 1000, 10, 1000), quota(900, 4_000_000, 1000, 86_400_000)],
    ],
    ["what is left, without a rule", { ratelimit: '"x";r=0;t=7' }, [quota(0, 7000)]],
    [
      "the rule's window for a reset that is not told",
      { ratelimit: '"x";r=3', "ratelimit-policy": '"x";q=9;w=8' },
      [quota(3, 8000, 9, 8000)],
    ],
    ["the rule alone", { "ratelimit-policy": '"x";q=9;w=8' }, [quota(undefined, undefined, 9, 8000)]],
    [
      "draft 07",
      { ratelimit: "limit=100, remaining=50, reset=30", "ratelimit-policy": "100;w=60" },
      [quota(50, 30_000, 100, 60_000)],
    ],
    [
      "three headers",
      { "ratelimit-limit": "100, 100;w=60", "ratelimit-remaining": "9", "ratelimit-reset": "30" },
      [quota(9, 30_000, 100)],
    ],
    [
      "X-RateLimit with seconds",
      { "x-ratelimit-limit": "20", "x-ratelimit-remaining": "9", "x-ratelimit-reset": "30" },
      [quota(9, 30_000, 20)],
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
    ["a rule without a window", { "ratelimit-policy": '"x";q=9' }, []],
    ["a rule of nothing", { "ratelimit-policy": '"x";q=0;w=0' }, []],
  ])("reads %s", (_, headers, expected) => {
    expect(parse(headers)).toEqual(expected);
  });

  it("takes any text without a fault", () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^["a-z;,=rtqw0-9 -]*$/));
    fc.assert(
      fc.property(text, text, text, (ratelimit, policy, rest) => {
        const found = parse({
          ratelimit,
          "ratelimit-policy": policy,
          "x-ratelimit-remaining": rest,
          "x-ratelimit-reset": rest,
        });
        for (const one of found)
          for (const value of Object.values(one)) expect(value ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
