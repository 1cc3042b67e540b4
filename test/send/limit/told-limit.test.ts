import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LimitOptions, ToldLimit as CountedLimit } from "../../../src/sandbox/context.ts";
import { parseToldQuotas } from "../../../src/send/limit/parse-told-quotas.ts";
import { ToldLimit } from "../../../src/send/traffic.ts";
import { seeded } from "../support/seeded.ts";
import { type MakeService, simulate, type Simulated } from "../support/simulate.ts";
import { bucket, type Counted, SECOND, sliding, tellingAll, windows } from "../support/told-limits.ts";

/** A service that announces its limit in headers. */
function telling(limit: LimitOptions, ms: (random: number) => number, names: RegExp, seed = 1): MakeService {
  return (clock) => {
    const wallNow = (): number => 1_700_000_000_000 + clock.now();
    const counted = new CountedLimit(limit, wallNow);
    const random = seeded(seed);
    return () => {
      const { headers, refusal } = counted.take();
      const told = new Map(Object.entries(headers).filter(([name]) => names.test(name)));
      const quotas = parseToldQuotas((name) => told.get(name), wallNow());
      return refusal === undefined
        ? { ms: ms(random()), quotas }
        : { ms: 1, status: 429, retryAfter: "1", quotas };
    };
  };
}

const refusedOf = ({ seen }: Simulated): number => seen.filter(({ status }) => status === 429).length;

describe("a push to a service that announces its limit", () => {
  it.each<[string, RegExp]>([
    ["RateLimit and its policy", /^ratelimit/],
    ["RateLimit alone", /^ratelimit$/],
    ["the policy alone", /^ratelimit-policy$/],
    ["X-RateLimit", /^x-/],
  ])("is never refused, and uses it: %s", async (_, names) => {
    const limit = { requests: 20, seconds: 10 };
    const pushed = await simulate(
      200,
      telling(limit, () => 30, names),
      { concurrency: 4 },
    );
    expect(refusedOf(pushed)).toBe(0);
    expect(pushed.outcomes).toHaveLength(200);
    // The push waits for nine windows and begins a tenth.
    expect(pushed.ms).toBeGreaterThanOrEqual(90_000);
    expect(pushed.ms).toBeLessThan(112_000);
  });

  it("keeps nothing back that is far below it", async () => {
    const pushed = await simulate(
      40,
      telling({ requests: 100, seconds: 3600 }, () => 10, /^r/),
      { concurrency: 1 },
    );
    expect(pushed.ms).toBeLessThan(1000);
  });

  it.each([2, 25])(
    "uses nearly all that a window allows, with %i ms to the service, and is never refused",
    async (wayMs) => {
      const limit = { requests: 20, seconds: 1 };
      for (const offsetMs of [0, 370, 800]) {
        const random = seeded(offsetMs);
        const telling = { makeCounted: () => windows(limit, offsetMs), limit, round: Math.ceil, wayMs };
        const pushed = await simulate(400, tellingAll(telling, random), {}, random);
        expect(refusedOf(pushed)).toBe(0);
        // The first of twenty windows has begun before the push, and the last one need not end.
        expect(pushed.ms).toBeLessThan((20 * SECOND) / 0.97);
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
        fc.constantFrom(Math.ceil, Math.floor, (exact: number) => exact),
        fc.integer({ min: 1, max: 50 }),
        fc.integer(),
        async (limit, round, wayMs, seed) => {
          const random = seeded(seed);
          const telling = { makeCounted: () => make(limit), limit, round, wayMs };
          const count = limit.requests * 10;
          const pushed = await simulate(count, tellingAll(telling, random), { maxWaitMs: Infinity }, random);
          expect(refusedOf(pushed)).toBeLessThanOrEqual(2);
          expect(pushed.ms).toBeLessThan(10 * limit.seconds * SECOND * most + 2 * SECOND);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("is hardly refused at any limit, however long answers take", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ requests: fc.integer({ min: 8, max: 50 }), seconds: fc.integer({ min: 1, max: 30 }) }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer(),
        async (limit, concurrency, seed) => {
          const service = telling(limit, (random) => 5 + random * 200, /^ratelimit/, seed);
          const pushed = await simulate(limit.requests * 6, service, { concurrency, maxWaitMs: Infinity });
          expect(refusedOf(pushed)).toBeLessThanOrEqual(2);
          const workMs = (limit.requests * 6 * 205) / concurrency;
          expect(pushed.ms).toBeLessThan(workMs + (limit.seconds + 1) * 8000);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("ToldLimit", () => {
  const told = (left: number, resetMs: number, windowMs?: number) => [{ left, resetMs, quota: 10, windowMs }];
  const by = (sentMs: number, answeredMs = sentMs, isRefused = false) => ({ sentMs, answeredMs, isRefused });

  function leaving(count: number): ToldLimit {
    const limit = new ToldLimit();
    for (let i = 0; i < count; i += 1) limit.leaving();
    return limit;
  }

  it("takes off what is told as left the requests in flight", () => {
    const limit = leaving(3);
    limit.ended(told(2, 1000, 1000), by(0));
    expect(limit.waitMs(0)).toBe(1000);
    limit.ended(told(1, 1000, 1000), by(0));
    expect(limit.waitMs(0)).toBe(1000);
    limit.stayed();
    expect(limit.waitMs(0)).toBe(0);
  });

  it.each([
    ["more is left in it, as the request was counted earlier", 9],
    ["as much is left in it", 1],
  ])("ignores the late answer of a request that was in flight together with a later one: %s", (_, left) => {
    const limit = leaving(2);
    limit.ended(told(1, 1000, 1000), by(5, 20));
    limit.ended(told(left, 1000, 1000), by(0, 30));
    limit.leaving();
    expect(limit.waitMs(30)).toBe(982.5);
  });

  it("ignores the late answer of a request of the window before", () => {
    const limit = leaving(2);
    limit.ended(told(9, 1000, 1000), by(5, 20));
    limit.ended(told(0, 1000, 1000), by(0, 30));
    expect(limit.waitMs(30)).toBe(0);
  });

  it("counts requests that end without an answer", () => {
    const limit = leaving(2);
    limit.ended(told(1, 1000, 1000), by(0));
    limit.ended([], by(0));
    expect(limit.waitMs(0)).toBe(1000);
  });

  it("waits a second longer than told as long as the service may round down, and no longer once it does not", () => {
    const limit = leaving(1);
    limit.ended(told(0, 2000), by(0));
    expect(limit.waitMs(0)).toBe(3000);
    limit.leaving();
    limit.ended(told(9, 2000), by(1500));
    limit.leaving();
    limit.ended(told(0, 2000), by(1500));
    expect(limit.waitMs(1500)).toBe(2000);
    limit.leaving();
    limit.ended(told(0, 1000), by(3500, 3500, true));
    expect(limit.waitMs(3500)).toBe(2000);
  });

  it("spreads the last half over the time until more are allowed", () => {
    const limit = leaving(1);
    limit.ended(told(6, 1000, 1000), by(0));
    limit.leaving();
    expect(limit.gapMs(0)).toBe(0);
    limit.leaving();
    expect(limit.gapMs(0)).toBe(200);
  });

  it("is used up if nothing may be sent for much longer than between requests that are spread", () => {
    const limit = leaving(1);
    limit.ended(told(0, 1000, 1000), by(0));
    expect([limit.usedUpMs(0), limit.usedUpMs(690), limit.usedUpMs(710)]).toEqual([1000, 310, 0]);
    const alone = new ToldLimit();
    alone.leaving();
    alone.ended([{ left: 0, resetMs: 60_000, quota: undefined, windowMs: undefined }], by(0));
    expect(alone.usedUpMs(0)).toBe(61_000);
  });

  it("goes by the rule when the window is over, until an answer tells of the new one", () => {
    const limit = leaving(1);
    limit.ended(told(0, 1000, 1000), by(0));
    expect([limit.waitMs(999), limit.waitMs(1000), limit.gapMs(1000)]).toEqual([1, 0, 101]);
    limit.leaving();
    limit.ended(told(9, 1000, 1000), by(1000, 1010));
    limit.leaving();
    expect(limit.gapMs(1010)).toBe(0);
  });

  it("goes by the rule where requests are allowed again one by one", () => {
    const limit = leaving(1);
    limit.ended(told(3, 1000, 1000), by(0));
    limit.leaving();
    limit.ended(told(3, 1000, 1000), by(100));
    limit.leaving();
    expect(limit.gapMs(100)).toBe(101);
  });
});
