import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AdaptiveLimit } from "../../../src/send/limit/adaptive-limit.ts";
import { type SendSettings, systemClock } from "../../../src/send/settings.ts";
import { answer, startService } from "../support/http-service.ts";
import { openSession, sendAll } from "../support/push.ts";
import { creates, updates } from "../support/records.ts";
import { seeded } from "../../chaos/random.ts";
import { type MakeService, meanInFlight, simulate, workersTaking } from "../support/simulate.ts";

const alwaysTaking =
  (ms: number): MakeService =>
  () =>
  () => ({ ms });

describe("auto concurrency", () => {
  it.each([
    ["grows to 16 at once and then doubles where a request takes long", 100, [2, 16, 32]],
    ["doubles where answers come soon, after a longer first round", 25, [2, 2, 2, 2, 2, 2, 4, 4, 8, 8, 16]],
  ])("starts at 2, and %s", async (_, ms, expected) => {
    const { seen } = await simulate(200, alwaysTaking(ms));
    const at = (atMs: number): number =>
      Math.max(...seen.filter((one) => one.atMs === atMs).map((one) => one.inFlight));
    expect(expected.map((_limit, round) => at(round * ms))).toEqual(expected);
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

describe("creates in flight", () => {
  it("become more by an eighth at a time", async () => {
    const { seen } = await simulate(0, () => () => ({ ms: 100 }), { records: creates(300) });
    const at = (ms: number): number =>
      Math.max(...seen.filter(({ atMs }) => atMs === ms).map((one) => one.inFlight));
    expect([at(0), at(100), at(200), at(300), at(400)]).toEqual([2, 4, 4, 5, 5]);
    expect(Math.max(...seen.map(({ inFlight }) => inFlight))).toBe(32);
  });

  it.each([1, 2, 3, 4, 5])(
    "put few batches in doubt if a service cannot bear so many (seed %i)",
    async (seed) => {
      const random = seeded(seed);
      const { outcomes, ms } = await simulate(
        0,
        () =>
          ({ inFlight }) =>
            inFlight > 8 ? { ms: 5, status: 503 } : { ms: 25 + 50 * random() },
        { records: creates(600) },
      );
      expect(outcomes.filter((outcome) => outcome === "inDoubt").length).toBeLessThanOrEqual(7);
      expect(outcomes).toHaveLength(600);
      expect(ms).toBeLessThan((600 / 4) * 50);
    },
  );
});

// How many of the 32 are reached depends on the load of this machine; the first round always doubles.
it.each<[string, Partial<SendSettings>, number, number]>([
  ["auto", {}, 5, 32],
  ["auto, 6 at most", { concurrency: { most: 6 } }, 6, 6],
  ["auto, 2 at most", { concurrency: { most: 2 } }, 2, 2],
  ["3", { concurrency: 3 }, 3, 3],
])("has as many requests in flight over HTTP as it may: %s", async (_, settings, least, most) => {
  const http = await startService(async (_, response) => {
    await sleep(40);
    answer(response);
  });
  const session = openSession(http.url, { batchSize: 1, ...settings }, systemClock);
  // On a busy machine the limit rises later.
  const { settled } = await sendAll(session, updates(120));
  expect(settled).toHaveLength(120);
  expect(http.mostAtOnce()).toBeGreaterThanOrEqual(least);
  expect(http.mostAtOnce()).toBeLessThanOrEqual(most);
});
