import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateFinder } from "../../../src/send/limit/rate-finder.ts";
import { bucket, type Limited, limitedTo, sliding, windows } from "../support/limited.ts";
import { seeded } from "../../chaos/random.ts";
import { meanInFlight, simulate, type Simulated } from "../support/simulate.ts";
import { draws, shareOf } from "../../support/draws.ts";

/** A bucket of one second's requests, and answers that take so long. */
const bucketOf = (requests: number, ms: number, jitterMs = 2): Limited => ({
  make: () => bucket({ requests, seconds: 1 }),
  goesMs: (draw) => jitterMs * draw(),
  takesMs: () => ms,
});

const refusedOf = ({ seen }: Simulated): number => seen.filter(({ status }) => status === 429).length;

describe("auto concurrency at a service with a rate limit", () => {
  const LIMITED: readonly (readonly [string, Limited])[] = [
    ["a bucket", bucketOf(20, 1)],
    ["a bucket that names a wait", { ...bucketOf(20, 50), retryAfter: "1" }],
    ["a small bucket", { ...bucketOf(20, 50), make: () => bucket({ requests: 5, seconds: 0.25 }) }],
    ["a count for each second", { ...bucketOf(20, 50), make: () => windows({ requests: 20, seconds: 1 }) }],
    [
      "a count for each second, and a wait",
      { ...bucketOf(20, 50), make: () => windows({ requests: 20, seconds: 1 }), retryAfter: "1" },
    ],
    ["a count over any second", { ...bucketOf(20, 50), make: () => sliding({ requests: 20, seconds: 1 }) }],
    ["slow answers", { ...bucketOf(20, 400), retryAfter: "1" }],
  ];
  it.each(shareOf(LIMITED, 2))("uses 95 % of the limit with few requests refused: %s", async (_, limited) => {
    const random = seeded(3);
    const pushed = await simulate(6000, limitedTo(limited, random), {}, random);
    expect(pushed.ms).toBeLessThan(((6000 / 20) * 1000) / 0.95);
    expect(refusedOf(pushed)).toBeLessThan(6000 * 0.01);
  });

  it.each([
    [1, 0.01],
    [5, 0.01],
    [20, 0.015],
  ])("runs into the limit with few requests in flight if answers take %d ms", async (ms, share) => {
    const random = seeded(3);
    const pushed = await simulate(400, limitedTo(bucketOf(20, ms, 1), random), {}, random);
    expect(refusedOf(pushed)).toBeLessThanOrEqual(400 * share);
  });

  it("uses 95 % of any limit with few requests refused, whenever requests arrive", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.constantFrom(7, 20, 40), async (seed, perSecond) => {
        const random = seeded(seed);
        const count = perSecond * 200;
        const pushed = await simulate(count, limitedTo(bucketOf(perSecond, 20, 5), random), {}, random);
        expect(pushed.ms).toBeLessThan(200_000 / 0.95);
        expect(refusedOf(pushed)).toBeLessThan(count * 0.02);
      }),
      draws(5),
    );
  });

  it("finds a limit that is raised, and one that is lowered", async () => {
    const pushed = await simulate(6600, (clock) => {
      const [early, high, low] = [20, 80, 5].map((requests) => bucket({ requests, seconds: 1 }));
      return () => {
        const now = clock.now();
        const limit = now < 30_000 ? early : now < 100_000 ? high : low;
        return limit!(now).isTaken ? { ms: 10 } : { ms: 2, status: 429, retryAfter: "1" };
      };
    });
    const perSecond = (fromMs: number, toMs: number): number =>
      pushed.seen.filter(({ atMs, status }) => status === 200 && atMs >= fromMs && atMs < toMs).length /
      ((toMs - fromMs) / 1000);
    expect(perSecond(15_000, 30_000)).toBeGreaterThan(18.5);
    expect(perSecond(80_000, 100_000)).toBeGreaterThan(72);
    expect(perSecond(130_000, 160_000)).toBeGreaterThan(4.5);
    expect(refusedOf(pushed)).toBeLessThan(100);
  });

  it("leaves fixed concurrency alone: it waits, and goes on as before", async () => {
    const pushed = await simulate(
      600,
      limitedTo({ ...bucketOf(20, 50), retryAfter: "1" }, () => 0),
      { concurrency: 8 },
    );
    expect(meanInFlight(pushed.seen)).toBeGreaterThan(6);
    expect(refusedOf(pushed)).toBeGreaterThan(40);
  });
});

describe("RateFinder", () => {
  it("counts refusals of requests that were in flight together as one", () => {
    const finder = new RateFinder();
    finder.leaving(0, false);
    finder.accepted();
    finder.refused(5, 10);
    finder.leaving(1000, false);
    finder.refused(1000, 1100);
    const once = finder.perSecond;
    finder.refused(1050, 1150);
    expect(finder.perSecond).toBe(once);
  });

  it("goes on at the limit that a rate has measured which was kept until it was refused", () => {
    const finder = new RateFinder();
    for (let i = 0; i < 21; i += 1) finder.accepted();
    finder.leaving(0, false);
    finder.refused(5, 10);
    finder.leaving(1000, false);
    expect(finder.perSecond).toBe(21);
    for (let request = 1; request <= 80; request += 1) {
      finder.leaving(1000 + request * 45, true);
      finder.accepted();
    }
    finder.refused(4010, 4010);
    expect(finder.perSecond).toBeCloseTo(20);
  });

  it("does not raise a rate that is not what holds requests back", () => {
    const finder = new RateFinder();
    finder.leaving(0, false);
    finder.accepted();
    finder.refused(5, 10);
    for (let at = 1000; at < 100_000; at += 1000) finder.leaving(at, false);
    expect(finder.perSecond).toBe(1);
  });
});
