import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { RecPushError } from "../../src/model/failure.ts";
import type { RecordList } from "../../src/model/settlement.ts";
import { systemClock } from "../../src/send/settings.ts";
import { toRecords } from "../support/to-record.ts";
import { createFastClock } from "./support/fast-clock.ts";
import { answer, type Behaviour } from "./support/http-service.ts";
import { inTurn, ok, openSession, push, sendAll, silent, status } from "./support/push.ts";
import { startRaw } from "./support/raw-service.ts";
import { creates, updates } from "./support/records.ts";

/** A signal, and a behaviour that sets it. */
function signalling(answers: Behaviour, afterMs = 0) {
  const controller = new AbortController();
  const acts: Behaviour = async (request, response) => {
    if (request.number === 1) setTimeout(() => controller.abort(), afterMs);
    await answers(request, response);
  };
  return { signal: controller.signal, abort: () => controller.abort(), acts };
}

const slowly: Behaviour = async (_, response) => {
  await sleep(40);
  answer(response);
};

describe("drain", () => {
  it("lets requests in flight finish and sends nothing more", async () => {
    const drain = new AbortController();
    const behave: Behaviour = async ({ number }, response) => {
      if (number === 2) drain.abort();
      if (!drain.signal.aborted) await once(drain.signal, "abort");
      answer(response);
    };
    const how = { batchSize: 1, concurrency: 2, on: { drain: drain.signal } };
    const { sizes, lines, stop } = await push(behave, updates(10), how);
    expect([sizes, lines.accepted.length, stop]).toEqual([[1, 1], 2, "interrupted interrupted"]);
  });

  it("sends nothing when it is set from the start", async () => {
    const { settled, sizes, stop } = await push(ok, updates(3), { on: { drain: AbortSignal.abort() } });
    expect([settled, sizes, stop]).toEqual([[], [], "interrupted interrupted"]);
  });

  it.each([
    [
      "between tries, and settles with what is known",
      status(500),
      updates(3),
      [{ outcome: "failed", attempts: 1 }],
    ],
    ["that the service asks for, and sends nothing", status(429, { "retry-after": "60" }), creates(3), []],
  ] as const)("gives up a wait %s", async (_, answers, records, outcomes) => {
    const { signal, acts } = signalling(answers, 20);
    const how = { backOff: { baseMs: 60_000, capMs: 60_000 }, clock: systemClock, on: { drain: signal } };
    const { settled, stop } = await push(acts, records, how);
    expect(settled).toMatchObject(outcomes);
    expect(stop).toBe(outcomes.length === 0 ? "interrupted interrupted" : "");
  });

  it("does not wait for an input that has stalled", async () => {
    const { signal, acts } = signalling(ok, 20);
    async function* stalled(): AsyncGenerator<RecordList> {
      yield toRecords(updates(3));
      await new Promise(() => undefined);
    }
    const { lines } = await push(acts, stalled(), { batchSize: 3, on: { drain: signal } });
    expect(lines.accepted).toEqual([2, 3, 4]);
  });
});

describe("abort", () => {
  it.each([
    ["updates", updates(3), "failed"],
    ["creates", creates(3), "inDoubt"],
  ] as const)("cuts %s in flight off", async (_, records, outcome) => {
    const { signal, acts } = signalling(silent);
    const { settled, sizes, stop } = await push(acts, records, { on: { abort: signal }, isProven: true });
    expect(settled).toMatchObject([{ outcome, status: undefined, attempts: 1 }]);
    expect([sizes.length, stop]).toEqual([1, ""]);
  });

  it("leaves creates unsent of which nothing was written", async () => {
    const { signal, abort } = signalling(ok);
    const on = { abort: signal, beforeCreate: async () => abort() };
    const { settled, sizes, stop } = await push(ok, creates(3), { on });
    expect([settled, sizes, stop]).toEqual([[], [], "interrupted interrupted"]);
  });

  it.each([
    ["updates", updates(3)],
    ["creates", creates(3)],
  ] as const)("leaves %s unsent while the connection is being made", async (_, records) => {
    const { signal, abort } = signalling(ok);
    const url = await startRaw(abort);
    const session = openSession(url.replace("http:", "https:"));
    const { settled, failure } = await sendAll(session, records, { abort: signal });
    expect([settled, failure?.kind]).toEqual([[], "interrupted"]);
  });
});

describe("a stop", () => {
  it("lets other requests in flight finish, and leaves the batch that met it unsent", async () => {
    const behave: Behaviour = ({ number, ...request }, response) =>
      number === 2 ? answer(response, 401, "Invalid API key.") : slowly({ number, ...request }, response);
    const { sizes, lines, stop, failure } = await push(behave, updates(10), { batchSize: 1, concurrency: 3 });
    expect([sizes.length, lines.accepted.length, stop]).toEqual([3, 2, "credentials credentials-refused"]);
    expect(failure?.message).toContain("Invalid API key.");
  });

  it("keeps the first failure where several come", async () => {
    const behave: Behaviour = async ({ number }, response) => {
      await sleep(number * 10);
      answer(response, number === 1 ? 401 : 404);
    };
    expect((await push(behave, updates(4), { batchSize: 1 })).failure?.kind).toBe("credentials");
  });

  it("comes from an input that fails, after what was in flight has settled", async () => {
    const broken = new RecPushError("source-changed", "the file changed");
    async function* source(): AsyncGenerator<RecordList> {
      yield toRecords(updates(3));
      throw broken;
    }
    const { lines, failure } = await push(slowly, source(), { batchSize: 3 });
    expect([lines.accepted, failure]).toEqual([[2, 3, 4], broken]);
  });

  it.each([updates(6), creates(6)])(
    "comes from a check of the lock that fails before a request or its first byte, and this is never sent: %#",
    async (...rows) => {
      const lock = new RecPushError("lock-lost", "lost");
      for (const looks of [0, 1]) {
        let left = looks;
        const look = (): void => {
          if (left-- <= 0) throw lock;
        };
        for (const on of [{ beforeRequest: async () => look() }, { beforeFirstByte: look }]) {
          left = looks;
          // Not applied, so that it would be sent again.
          const { failure, sizes, lines } = await push(status(503), rows, {
            batchSize: 3,
            concurrency: 1,
            on,
          });
          expect([failure, sizes.length]).toEqual([lock, looks]);
          const told = [...lines.failed, ...lines.inDoubt].length;
          expect(told).toBe(sizes[0] ?? 0);
        }
      }
    },
  );

  it("throws what is a fault of rec-push, after handing on what settled", async () => {
    async function* source(): AsyncGenerator<RecordList> {
      yield toRecords(updates(3));
      throw new TypeError("a bug");
    }
    const lines: number[] = [];
    const onSettled = async ({ records }: { records: RecordList }): Promise<void> =>
      void lines.push(...records.map(({ line }) => line));
    await expect(push(ok, source(), { batchSize: 3, on: { onSettled } })).rejects.toThrow("a bug");
    expect(lines).toEqual([2, 3, 4]);
  });
});

describe("waiting", () => {
  it.each([updates(3), creates(3)])(
    "lasts as long as a 429 asks, which is no try: %#",
    async (...records) => {
      const clock = createFastClock();
      const slow: Behaviour = (_, response) => answer(response, 429, "slow down", { "retry-after": "60" });
      const waits: string[] = [];
      const onWaiting = ({ forMs, why }: { forMs: number; why: string }): unknown =>
        waits.push(`${forMs} ${why}`);
      const how = { retries: 0, clock, on: { onWaiting }, isProven: true };
      const { settled } = await push(inTurn(slow, slow, slow, ok), records, how);
      expect(settled).toMatchObject([{ outcome: "accepted", attempts: 4 }]);
      expect(clock.slept).toEqual([60_000, 60_000, 60_000]);
      expect(waits).toEqual(Array(3).fill("60000 429 slow down"));
    },
  );

  it.each([
    [503, { "retry-after": new Date(createFastClock().now() + 5000).toUTCString() }, 1, [5000]],
    [429, {}, 4, [250, 500, 1000, 2000]],
    [429, { "retry-after": "soon" }, 4, [250, 500, 1000, 2000]],
    // The first of them is as short as the service asks.
    [429, { "retry-after": "0" }, 4, [500, 1000, 2000]],
  ] as const)("after %i with %j %i times lasts for %j", async (code, headers, times, slept) => {
    const clock = createFastClock();
    const busy = status(code, headers);
    await push(inTurn(...Array.from({ length: times }, () => busy), ok), updates(1), { clock });
    expect(clock.slept).toEqual(slept);
  });

  it("stops when the waits together are longer than allowed; what only waited is not sent", async () => {
    const { sizes, settled, stop, failure } = await push(status(429, { "retry-after": "400" }), creates(2));
    expect([sizes.length, settled, stop]).toEqual([3, [], "unreachable waited-too-long"]);
    expect(failure?.message).toContain("20 min");
  });

  it("holds all requests back while the service asks for a pause", async () => {
    const clock = createFastClock();
    const startMs = clock.now();
    const at: number[] = [];
    const behave: Behaviour = (request, response) => {
      at.push(clock.now() - startMs);
      inTurn(status(429, { "retry-after": "30" }), ok)(request, response);
    };
    await push(behave, updates(4), { batchSize: 1, concurrency: 1, clock });
    expect(at).toEqual([0, 30_000, 30_000, 30_000, 30_000]);
  });

  it("keeps to a rate", async () => {
    const clock = createFastClock();
    const startMs = clock.now();
    await push(ok, updates(5), { batchSize: 1, ratePerSecond: 2, clock });
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(2000);
  });
});
