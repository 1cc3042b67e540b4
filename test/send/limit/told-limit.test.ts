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
  it("is never refused, and uses it", async () => {
    const make = () => windows({ requests: 20, seconds: 10 });
    const service = limitedTo({ make, ...about(15), tells: Math.ceil, retryAfter: "told" }, () => 0.5);
    const pushed = await simulate(200, service, { concurrency: 4 });
    expect(refusedOf(pushed)).toBe(0);
    expect(pushed.outcomes).toHaveLength(200);
    // The push waits for nine windows and begins a tenth.
    expect(pushed.ms).toBeGreaterThanOrEqual(90_000);
    expect(pushed.ms).toBeLessThan(112_000);
  });

  it("keeps nothing back that is far below it", async () => {
    const make = () => windows({ requests: 100, seconds: 3600 });
    const service = limitedTo({ make, ...about(5), tells: Math.ceil }, () => 0.5);
    const pushed = await simulate(40, service, { concurrency: 1 });
    expect(pushed.ms).toBeLessThan(1000);
  });

  it.each([2, 25])(
    "uses nearly all that a window allows, with %i ms to the service, and is never refused",
    async (wayMs) => {
      const limit = { requests: 20, seconds: 1 };
      for (const offsetMs of [0, 370, 800]) {
        const random = seeded(offsetMs);
        const make = () => windows(limit, offsetMs);
        const service = limitedTo({ make, ...about(wayMs), tells: Math.ceil, retryAfter: "told" }, random);
        const pushed = await simulate(400, service, {}, random);
        expect(refusedOf(pushed)).toBe(0);
        // The first of twenty windows has begun before the push, and the last one need not end.
        expect(pushed.ms).toBeLessThan((20 * SECOND) / 0.92);
      }
    },
  );

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

  it("is hardly refused at any limit, however long answers take", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ requests: fc.integer({ min: 8, max: 50 }), seconds: fc.integer({ min: 1, max: 30 }) }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer(),
        async (limit, concurrency, seed) => {
          const takesMs = (draw: () => number): number => 5 + draw() * 200;
          const how = { make: () => windows(limit), goesMs: () => 0, takesMs, tells: Math.ceil };
          const service = limitedTo({ ...how, retryAfter: "told" }, seeded(seed));
          const pushed = await simulate(limit.requests * 6, service, { concurrency, maxWaitMs: Infinity });
          expect(refusedOf(pushed)).toBeLessThanOrEqual(2);
          const workMs = (limit.requests * 6 * 205) / concurrency;
          expect(pushed.ms).toBeLessThan(workMs + (limit.seconds + 1) * 8000);
        },
      ),
      draws(60),
    );
  });
});

describe("ToldLimit", () => {
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

  it("is used up where nothing is left, and not where requests in flight may leave some", () => {
    const limit = leaving(2);
    limit.ended(told(1, 1000), 0, 0);
    expect([limit.waitMs(0), limit.usedUpMs(0)]).toEqual([1000, 0]);
    limit.ended(told(0, 1000), 0, 0);
    expect([limit.usedUpMs(0), limit.usedUpMs(2000)]).toEqual([1000, 0]);
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
