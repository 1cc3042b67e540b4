import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AdaptiveLimit } from "../../../src/send/limit/adaptive-limit.ts";
import { type SendSettings, systemClock } from "../../../src/send/settings.ts";
import { answer, startService } from "../support/http-service.ts";
import { openSession, sendAll } from "../support/push.ts";
import { creates, updates } from "../support/records.ts";
import { seeded } from "../../chaos/random.ts";
import {
  type Arrival,
  type MakeService,
  meanInFlight,
  type Reaction,
  simulate,
  workersTaking,
} from "../support/simulate.ts";

const alwaysTaking =
  (ms: number): MakeService =>
  () =>
  () => ({ ms });

/** From a time on, until another, the mean number of requests in flight is at least and at most so many. */
type Expected = [fromMs: number, toMs: number, least: number, most: number];

/** A push of so many batches to a service whose answers take so long. */
type Answering = [
  name: string,
  batches: number,
  reacts: (arrival: Arrival, random: () => number) => number | Reaction,
  ...expected: Expected[],
];

const ANSWERS: Answering[] = [
  [
    "a few requests that take ten times as long mislead it little",
    1000,
    (_, random) => (random() < 0.05 ? 500 : 50),
    [500, Infinity, 15, 32],
  ],
  [
    "quick refusals are no sign of a quick service",
    600,
    ({ number }) => (number <= 12 ? { ms: 2, status: 400 } : 50),
    [300, Infinity, 15, 32],
  ],
  [
    "a service that slows down gets room at once, and has as many again when it is well again",
    4000,
    // The first answers of the slow time come after 500 ms.
    ({ nowMs }) => (nowMs >= 3000 && nowMs < 9000 ? 500 : 50),
    [2000, 3000, 15, 32],
    [3600, 9000, 1, 3],
    [10_000, 11_000, 15, 32],
  ],
  ...[75, 95, 500].map((slowMs): Answering => [
    `answers of ${slowMs} ms are normal after a while, if less load does not make them faster`,
    20_000,
    ({ nowMs }) => (nowMs < 3000 ? 50 : slowMs),
    [30_000, 40_000, 15, 32],
  ]),
  [
    "a pause in the first second costs a second",
    800,
    ({ nowMs }) => (nowMs >= 200 && nowMs < 400 ? 600 - nowMs : 50),
    [600, 1500, 22, 32],
  ],
  [
    "one slower round is no sign",
    2000,
    ({ nowMs }) => (nowMs >= 2000 && nowMs < 2050 ? 80 : 50),
    [2100, 3000, 31, 32],
  ],
  [
    "a few milliseconds more or less are no sign",
    1500,
    (_, random) => 5 + 8 * random(),
    [400, Infinity, 25, 32],
  ],
  [
    "answers of many seconds are no sign of a queue",
    1000,
    (_, random) => 8000 + 4000 * random(),
    [60_000, Infinity, 31, 32],
  ],
  [
    "a service that was down has recovered after a second",
    4000,
    ({ nowMs }) => (nowMs > 2000 && nowMs < 5000 ? { ms: 5, status: 503 } : 50),
    [6000, 7000, 12, 32],
  ],
];

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

  it.each<Answering>(ANSWERS)("%s", async (_, batches, reacts, ...expected) => {
    const random = seeded(1);
    const service = () => (arrival: Arrival) => {
      const reaction = reacts(arrival, random);
      return typeof reaction === "number" ? { ms: reaction } : reaction;
    };
    const patient = { retries: 1000, maxFailed: 1e6, backOff: { baseMs: 100, capMs: 400 } };
    const { seen } = await simulate(batches, service, patient);
    const means = expected.map(([fromMs, toMs]) =>
      meanInFlight(seen.filter(({ atMs }) => atMs >= fromMs && atMs < toMs)),
    );
    const isMet = expected.map(([, , least, most], at) => means[at]! >= least && means[at]! <= most);
    expect({ means, isMet }).toEqual({ means, isMet: expected.map(() => true) });
  });

  it.each([
    [1, 100],
    [2, 100],
    [4, 100],
    [8, 100],
    [16, 100],
    [4, 20],
  ])("keeps %i workers busy that take %i ms, and few requests waiting for them", async (workers, takesMs) => {
    const random = seeded(workers);
    const { seen, ms } = await simulate(3000, (clock) =>
      workersTaking(clock, workers, () => takesMs * (0.9 + 0.2 * random())),
    );
    expect(ms).toBeLessThan(((3000 * takesMs) / workers) * 1.03);
    expect(meanInFlight(seen.slice(200))).toBeLessThan(workers * 1.3 + 2.5);
    expect(meanInFlight(seen.slice(200))).toBeGreaterThan(workers);
  });

  it("stays below what a service calls an overload (503), and goes beyond it ever more rarely, down to every ten minutes", async () => {
    const refusedMs: number[] = [];
    const { seen, outcomes } = await simulate(
      2400,
      () =>
        ({ inFlight, nowMs }) => {
          if (inFlight <= 6) return { ms: 5000 };
          refusedMs.push(nowMs);
          return { ms: 5, status: 503 };
        },
      { retries: 20, maxFailed: 1000 },
    );
    expect(new Set(outcomes)).toEqual(new Set(["accepted"]));
    expect(meanInFlight(seen.slice(100))).toBeGreaterThan(5);
    const gaps = refusedMs.flatMap((atMs, at) =>
      at > 0 ? Math.round((atMs - refusedMs[at - 1]!) / 1000) : [],
    );
    // The time doubles up to ten minutes, and some rounds pass before the next try.
    expect(gaps.filter((gap) => gap > 10)).toEqual([20, 67, 121, 242, 481, 602]);
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
