import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LimitOptions } from "../../../src/sandbox/requests.ts";
import { AnnouncedLimit, parseToldQuotas, type ToldQuota } from "../../../src/send/limit/told-limit.ts";
import { seeded } from "../../chaos/random.ts";
import { about, bucket, type Counted, limitedTo, SECOND, sliding, windows } from "../support/limited.ts";
import { simulate, type Simulated } from "../support/simulate.ts";
import { draws } from "../../support/draws.ts";

const refusedOf = ({ seen }: Simulated): number => seen.filter(({ status }) => status === 429).length;

describe("a push to a service that announces its limit", () => {
  it.each<[name: string, LimitOptions, wayMs: number, offsetMs: number, concurrency: number, mostMs: number]>(
    [
      // The push waits for nine windows and begins a tenth.
      ["with a fixed number in flight", { requests: 20, seconds: 10 }, 15, 0, 4, 112_000],
      ["far below the limit", { requests: 1000, seconds: 3600 }, 5, 0, 1, 3000],
      // The first of ten windows has begun before the push, and the last one need not end.
      ["close to the service", { requests: 20, seconds: 1 }, 2, 370, 0, (10 * SECOND) / 0.92],
      ["far from the service", { requests: 20, seconds: 1 }, 25, 800, 0, (10 * SECOND) / 0.92],
    ],
  )("is never refused, and uses the limit: %s", async (_, limit, wayMs, offsetMs, concurrency, mostMs) => {
    const random = seeded(offsetMs);
    const make = () => windows(limit, offsetMs);
    const service = limitedTo({ make, ...about(wayMs), tells: Math.ceil, retryAfter: "told" }, random);
    const pushed = await simulate(200, service, concurrency === 0 ? {} : { concurrency }, random);
    expect(refusedOf(pushed)).toBe(0);
    expect(pushed.ms).toBeLessThan(mostMs);
  });

  it.each<[string, (limit: LimitOptions) => Counted, number]>([
    ["windows", (limit) => windows(limit, 600), 1.15],
    ["a sliding window", sliding, 1.8],
    ["a bucket", bucket, 1.15],
  ])("is hardly refused, and uses what there is: %s", async (_, make, most) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          { requests: 20, seconds: 1 },
          { requests: 20, seconds: 10 },
          { requests: 100, seconds: 60 },
        ),
        fc.constantFrom(Math.ceil, (exact: number) => exact),
        fc.integer({ min: 1, max: 50 }),
        fc.integer(),
        async (limit, round, wayMs, seed) => {
          const random = seeded(seed);
          const count = limit.requests * 10;
          const how = { make: () => make(limit), ...about(wayMs), tells: round, retryAfter: "told" };
          const pushed = await simulate(count, limitedTo(how, random), { maxWaitMs: Infinity }, random);
          expect(refusedOf(pushed)).toBeLessThanOrEqual(2);
          expect(pushed.ms).toBeLessThan(10 * limit.seconds * SECOND * most + 2 * SECOND);
        },
      ),
      draws(25),
    );
  });
});

describe("AnnouncedLimit", () => {
  const told = (left: number, resetMs: number) => [{ left, resetMs }];

  function leaving(count: number): AnnouncedLimit {
    const limit = new AnnouncedLimit();
    for (let i = 0; i < count; i += 1) limit.leaving();
    return limit;
  }

  it("counts requests that end without an answer", () => {
    const limit = leaving(2);
    limit.ended(told(1, 1000), 0, 0);
    limit.ended([], 0, 0);
    expect(limit.waitMs(0)).toBe(1000);
  });

  it("keeps the strictest of several limits", () => {
    const limit = leaving(1);
    limit.ended([...told(5, 1000), ...told(0, 2000), ...told(0, 3000)], 0, 0);
    expect(limit.waitMs(0)).toBe(3000);
  });
});

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
