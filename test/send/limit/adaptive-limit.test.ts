import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AdaptiveLimit } from "../../../src/send/limit/adaptive-limit.ts";
import { seeded } from "../support/seeded.ts";
import { type MakeService, meanInFlight, simulate } from "../support/simulate.ts";
import { workersTaking } from "../support/simulated-service.ts";

const alwaysTaking =
  (ms: number): MakeService =>
  () =>
  () => ({ ms });

describe("auto concurrency", () => {
  it.each([50, 2000])("is nearly as fast as 16 in flight where each request takes %i ms", async (ms) => {
    const auto = await simulate(400, alwaysTaking(ms));
    const best = await simulate(400, alwaysTaking(ms), { concurrency: 16 });
    expect(auto.ms).toBeLessThan(best.ms * 1.1);
  });

  it.each([
    ["grows to 16 at once and then doubles where a request takes long", 100, [2, 16, 32]],
    ["doubles where answers come soon, after a longer first round", 25, [2, 2, 2, 2, 2, 2, 4, 4, 8, 8, 16]],
  ])("starts at 2, and %s", async (_, ms, expected) => {
    const { seen } = await simulate(200, alwaysTaking(ms));
    const at = (atMs: number): number =>
      Math.max(...seen.filter((one) => one.atMs === atMs).map((one) => one.inFlight));
    expect(expected.map((_limit, round) => at(round * ms))).toEqual(expected);
  });

  it("is as fast as 32 in flight but for the climb, where nothing gets slower", async () => {
    const auto = await simulate(3200, alwaysTaking(50));
    const best = await simulate(3200, alwaysTaking(50), { concurrency: 32 });
    expect(auto.ms).toBeLessThanOrEqual(best.ms + 2 * 50);
  });

  it.each([1, 3, 7, 40])("never has more than %i in flight where that is the most", async (most) => {
    const { seen } = await simulate(600, alwaysTaking(50), { concurrency: { most } });
    expect(Math.max(...seen.map(({ inFlight }) => inFlight))).toBe(most);
  });

  it("is not misled by times that differ at random", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const random = seeded(seed);
        const auto = await simulate(1500, () => () => ({ ms: 25 + 50 * random() }));
        expect(auto.ms).toBeLessThan(((1500 * 50) / 16) * 1.3);
      }),
      { numRuns: 15 },
    );
  });

  it("is not misled by a few requests that take ten times as long", async () => {
    const random = seeded(1);
    const { seen } = await simulate(1000, () => () => ({ ms: random() < 0.05 ? 500 : 50 }));
    expect(meanInFlight(seen.slice(100))).toBeGreaterThan(15);
  });

  it.each([1, 2, 4, 8])("keeps %i workers busy, and few requests waiting for them", async (workers) => {
    const random = seeded(workers);
    const { seen, ms } = await simulate(2000, (clock) =>
      workersTaking(clock, workers, () => 90 + 20 * random()),
    );
    expect(ms).toBeLessThan(((2000 * 100) / workers) * 1.03);
    expect(meanInFlight(seen.slice(200))).toBeLessThan(workers * 1.3 + 2.5);
    expect(meanInFlight(seen.slice(200))).toBeGreaterThan(workers);
  });

  it("gives a service that slows down room at once, and comes back when it is well again", async () => {
    const { seen } = await simulate(4000, (clock) => () => ({
      ms: clock.now() >= 3000 && clock.now() < 9000 ? 500 : 50,
    }));
    const between = (fromMs: number, toMs: number) =>
      meanInFlight(seen.filter(({ atMs }) => atMs >= fromMs && atMs < toMs));
    expect(between(2000, 3000)).toBeGreaterThan(15);
    // The first answers of the slow time come after 500 ms.
    expect(between(3600, 9000)).toBeLessThan(3);
    expect(between(10_000, 11_000)).toBeGreaterThan(15);
  });

  it("accepts slow answers as normal in the end, if less load does not make them faster", async () => {
    const { seen } = await simulate(3000, (clock) => () => ({ ms: clock.now() < 3000 ? 50 : 500 }));
    expect(meanInFlight(seen.slice(-500))).toBeGreaterThan(15);
  });

  it("does not mistake quick refusals for a quick service", async () => {
    const { seen } = await simulate(
      600,
      () =>
        ({ number }) =>
          number <= 12 ? { ms: 2, status: 400 } : { ms: 50 },
    );
    expect(meanInFlight(seen.slice(100))).toBeGreaterThan(15);
  });

  it("stays below what a service calls an overload (503)", async () => {
    const { seen, outcomes } = await simulate(
      1500,
      () =>
        ({ inFlight }) =>
          inFlight > 6 ? { ms: 5, status: 503 } : { ms: 50 },
      { retries: 20 },
    );
    expect(new Set(outcomes)).toEqual(new Set(["accepted"]));
    expect(seen.filter(({ status }) => status === 503).length).toBeLessThan(20);
    expect(meanInFlight(seen.slice(500))).toBeGreaterThan(5);
  });

  it("has recovered a second after a service that was down", async () => {
    const { seen } = await simulate(
      4000,
      (clock) => () => (clock.now() > 2000 && clock.now() < 5000 ? { ms: 5, status: 503 } : { ms: 50 }),
      { retries: 1000, maxFailed: 1e6, backOff: { baseMs: 100, capMs: 400 } },
    );
    expect(meanInFlight(seen.filter(({ atMs }) => atMs > 6000 && atMs < 7000))).toBeGreaterThan(12);
  });

  it("learns nothing from pieces of batches, and nothing from the first request of a connection if it is slow", () => {
    const limit = new AdaptiveLimit(16);
    const send = (fromMs: number, ms: number, isWhole: boolean, isFresh: boolean): void => {
      const marks = Array.from({ length: limit.limit }, () => limit.begin(fromMs, isWhole));
      for (const mark of marks) {
        mark.isFresh = isFresh;
        limit.end(mark, "answered", fromMs + ms);
      }
    };
    send(0, 5, false, false);
    expect(limit.limit).toBe(2);
    send(1000, 100, true, false);
    send(2000, 100, true, false);
    expect(limit.limit).toBe(16);
    send(3000, 900, true, true);
    expect(limit.limit).toBe(16);
    send(4000, 900, true, false);
    expect(limit.limit).toBeLessThan(4);
  });
});
