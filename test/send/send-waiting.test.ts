import { describe, expect, it } from "vitest";
import { createFastClock } from "./support/fast-clock.ts";
import { answer, startService, type Behaviour } from "./support/http-service.ts";
import { openSession, sendAll } from "./support/push.ts";
import { creates, updates } from "./support/records.ts";

const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (_, response) =>
    answer(response, code, `status ${code}`, headers);

describe("waiting", () => {
  it.each(["update", "create"] as const)(
    "waits as long as a 429 asks, which is no try (%s)",
    async (kind) => {
      const clock = createFastClock();
      const http = await startService(({ number }, response) =>
        number < 4 ? answer(response, 429, "slow down", { "retry-after": "60" }) : answer(response),
      );
      const waits: string[] = [];
      const session = openSession(http.url, { retries: 0 }, clock);
      const { settled } = await sendAll(session, kind === "update" ? updates(3) : creates(3), {
        onWaiting: ({ forMs, why }) => waits.push(`${forMs} ${why}`),
      });
      expect(settled).toMatchObject([{ outcome: "accepted", attempts: 4 }]);
      expect(clock.slept).toEqual([60_000, 60_000, 60_000]);
      expect(waits).toEqual(Array(3).fill("60000 429 slow down"));
    },
  );

  it("waits until a date", async () => {
    const clock = createFastClock();
    const date = new Date(clock.now() + 5000).toUTCString();
    const http = await startService(({ number }, response) =>
      number === 1 ? answer(response, 503, "x", { "retry-after": date }) : answer(response),
    );
    await sendAll(openSession(http.url, {}, clock), updates(1));
    expect(clock.slept).toEqual([5000]);
  });

  it.each([{}, { "retry-after": "soon" }, { "retry-after": "0" }])(
    "backs off after 429 with %j",
    async (headers) => {
      const clock = createFastClock();
      const http = await startService(({ number }, response) =>
        number < 5 ? answer(response, 429, "x", headers) : answer(response),
      );
      await sendAll(openSession(http.url, {}, clock), updates(1));
      const first = "retry-after" in headers && headers["retry-after"] === "0" ? [] : [250];
      expect(clock.slept).toEqual([...first, 500, 1000, 2000]);
    },
  );

  it("stops when the waits together are longer than allowed; what only waited is not sent", async () => {
    const http = await startService(status(429, { "retry-after": "400" }));
    const { settled, failure } = await sendAll(openSession(http.url), creates(2));
    expect(http.requests).toHaveLength(3);
    expect(settled).toEqual([]);
    expect(failure).toMatchObject({ kind: "unreachable", code: "waited-too-long" });
    expect(failure?.message).toContain("20 min");
  });

  it("stops at once when a single wait is too long", async () => {
    const clock = createFastClock();
    const http = await startService(status(503, { "retry-after": "3600" }));
    const { settled, failure } = await sendAll(openSession(http.url, {}, clock), updates(2));
    expect(clock.slept).toEqual([]);
    expect(settled).toMatchObject([{ outcome: "failed", status: 503 }]);
    expect(failure?.code).toBe("waited-too-long");
  });

  it("holds all requests back while the service asks for a pause", async () => {
    const clock = createFastClock();
    const startMs = clock.now();
    const at: number[] = [];
    const http = await startService(({ number }, response) => {
      at.push(clock.now() - startMs);
      if (number === 1) answer(response, 429, "x", { "retry-after": "30" });
      else answer(response);
    });
    await sendAll(openSession(http.url, { batchSize: 1, concurrency: 1 }, clock), updates(4));
    expect(at).toEqual([0, 30_000, 30_000, 30_000, 30_000]);
  });

  it("keeps to a rate", async () => {
    const clock = createFastClock();
    const http = await startService((_, response) => answer(response));
    const session = openSession(http.url, { batchSize: 1, ratePerSecond: 2 }, clock);
    const startMs = clock.now();
    await sendAll(session, updates(5));
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(2000);
  });
});
