import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToldLimit as CountedLimit, type LimitOptions } from "../../../src/sandbox/told-limit.ts";
import { parseToldQuotas } from "../../../src/send/limit/parse-told-quotas.ts";
import { ToldLimit } from "../../../src/send/limit/told-limit.ts";
import { seeded } from "../support/seeded.ts";
import { simulate, type MakeService, type Simulated } from "../support/simulate.ts";

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
  const told = (left: number, resetMs: number) => [{ left, resetMs, quota: 10, windowMs: undefined }];

  it("counts what has left since the request whose answer it reads", () => {
    const limit = new ToldLimit();
    const [first] = [limit.leaving(), limit.leaving(), limit.leaving()];
    limit.note(told(2, 1000), first, 0);
    expect(limit.waitMs(0)).toBe(1000);
    limit.note(told(1, 1000), 3, 0);
    expect([limit.waitMs(0), limit.gapMs(0)]).toEqual([0, 1000]);
  });

  it("ignores the late answer of an earlier request", () => {
    const limit = new ToldLimit();
    const [first, second] = [limit.leaving(), limit.leaving()];
    limit.note(told(0, 1000), second, 0);
    limit.note(told(9, 1000), first, 0);
    expect(limit.waitMs(0)).toBe(1000);
  });

  it("knows nothing any more when the window is over and its rule was not told", () => {
    const limit = new ToldLimit();
    limit.note(told(0, 1000), limit.leaving(), 0);
    expect([limit.waitMs(999), limit.waitMs(1000), limit.gapMs(1000)]).toEqual([1, 0, 0]);
  });
});
