import { describe, expect, it } from "vitest";
import { RecPushError } from "../../src/model/failure.ts";
import type { RecordList } from "../../src/model/settlement.ts";
import { systemClock } from "../../src/send/settings.ts";
import { toRecords } from "../support/to-record.ts";
import { answer, sleep, startService } from "./support/http-service.ts";
import { linesOf, openSession, sendAll } from "./support/push.ts";
import { startRaw } from "./support/raw-service.ts";
import { creates, updates } from "./support/records.ts";

const never = new AbortController().signal;

describe("drain", () => {
  it("lets requests in flight finish and sends nothing more", async () => {
    const drain = new AbortController();
    const http = await startService(async ({ number }, response) => {
      if (number === 2) drain.abort();
      await sleep(20);
      answer(response);
    });
    const session = openSession(http.url, { batchSize: 1, concurrency: 2 });
    const { settled, failure } = await sendAll(session, updates(10), { drain: drain.signal });
    expect(http.requests).toHaveLength(2);
    expect(linesOf(settled, "accepted")).toHaveLength(2);
    expect(failure).toMatchObject({ kind: "interrupted" });
  });

  it("sends nothing when it is set from the start", async () => {
    const http = await startService((_, response) => answer(response));
    const { settled, failure } = await sendAll(openSession(http.url), updates(3), {
      drain: AbortSignal.abort(),
    });
    expect([settled, http.requests.length, failure?.kind]).toEqual([[], 0, "interrupted"]);
  });

  it("gives up a wait between tries, and settles with what is known", async () => {
    const drain = new AbortController();
    const http = await startService((_, response) => {
      answer(response, 500);
      setTimeout(() => drain.abort(), 20);
    });
    const session = openSession(http.url, { backOff: { baseMs: 60_000, capMs: 60_000 } }, systemClock);
    const { settled } = await sendAll(session, updates(3), { drain: drain.signal });
    expect(settled).toMatchObject([{ outcome: "failed", status: 500, attempts: 1 }]);
  });

  it("leaves what waits for the service unsent", async () => {
    const drain = new AbortController();
    const http = await startService((_, response) => {
      answer(response, 429, "x", { "retry-after": "60" });
      setTimeout(() => drain.abort(), 20);
    });
    const session = openSession(http.url, {}, systemClock);
    const { settled, failure } = await sendAll(session, creates(3), { drain: drain.signal });
    expect(settled).toEqual([]);
    expect(failure?.kind).toBe("interrupted");
  });

  it("is no failure if everything was already in flight", async () => {
    const drain = new AbortController();
    const http = await startService(async (_, response) => {
      await sleep(20);
      drain.abort();
      answer(response);
    });
    const { settled, failure } = await sendAll(openSession(http.url), updates(3), { drain: drain.signal });
    expect([linesOf(settled, "accepted").length, failure]).toEqual([3, undefined]);
  });

  it("does not wait for an input that has stalled", async () => {
    const drain = new AbortController();
    const http = await startService((_, response) => {
      answer(response);
      setTimeout(() => drain.abort(), 20);
    });
    async function* stalled(): AsyncGenerator<RecordList> {
      yield toRecords(updates(3));
      await new Promise(() => undefined);
    }
    const { settled } = await sendAll(openSession(http.url, { batchSize: 3 }), stalled(), {
      drain: drain.signal,
    });
    expect(linesOf(settled, "accepted")).toEqual([2, 3, 4]);
  });
});

describe("abort", () => {
  it.each([
    ["updates", updates(3), "failed"],
    ["creates", creates(3), "inDoubt"],
  ] as const)("cuts %s in flight off", async (_, records, outcome) => {
    const abort = new AbortController();
    const http = await startService(() => abort.abort());
    const { settled, failure } = await sendAll(openSession(http.url), records, { abort: abort.signal });
    expect(settled).toMatchObject([{ outcome, status: undefined, attempts: 1 }]);
    expect(http.requests).toHaveLength(1);
    expect(failure).toBeUndefined();
  });

  it("leaves creates unsent of which nothing was written", async () => {
    const abort = new AbortController();
    const http = await startService((_, response) => answer(response));
    const { settled, failure } = await sendAll(openSession(http.url), creates(3), {
      abort: abort.signal,
      beforeCreate: async () => abort.abort(),
    });
    expect([settled, http.requests.length, failure?.kind]).toEqual([[], 0, "interrupted"]);
  });

  it.each([
    ["updates", updates(3)],
    ["creates", creates(3)],
  ] as const)("leaves %s unsent while the connection is being made", async (_, records) => {
    const abort = new AbortController();
    const url = await startRaw(() => abort.abort());
    const session = openSession(url.replace("http:", "https:"));
    const { settled, failure } = await sendAll(session, records, { abort: abort.signal });
    expect([settled, failure?.kind]).toEqual([[], "interrupted"]);
  });
});

describe("a stop", () => {
  it("lets other requests in flight finish, and leaves the batch that met it unsent", async () => {
    const http = await startService(async ({ number }, response) => {
      if (number === 2) return answer(response, 401, "Invalid API key.");
      await sleep(30);
      return answer(response);
    });
    const session = openSession(http.url, { batchSize: 1, concurrency: 3 });
    const { settled, failure } = await sendAll(session, updates(10));
    expect(http.requests).toHaveLength(3);
    expect(linesOf(settled, "accepted")).toHaveLength(2);
    expect(failure).toMatchObject({ kind: "credentials" });
    expect(failure?.message).toContain("Invalid API key.");
  });

  it("keeps the first failure where several come", async () => {
    const http = await startService(async ({ number }, response) => {
      await sleep(number * 10);
      answer(response, number === 1 ? 401 : 404);
    });
    const { failure } = await sendAll(openSession(http.url, { batchSize: 1 }), updates(4));
    expect(failure?.kind).toBe("credentials");
  });

  it("comes from an input that fails, after what was in flight has settled", async () => {
    const http = await startService(async (_, response) => {
      await sleep(20);
      answer(response);
    });
    const broken = new RecPushError("input", "source-changed", "the file changed");
    async function* source(): AsyncGenerator<RecordList> {
      yield toRecords(updates(3));
      throw broken;
    }
    const { settled, failure } = await sendAll(openSession(http.url, { batchSize: 3 }), source());
    expect(linesOf(settled, "accepted")).toEqual([2, 3, 4]);
    expect(failure).toBe(broken);
  });

  it.each(["update", "create"] as const)(
    "comes from a check of the lock that fails before a request, and the %s is never sent",
    async (kind) => {
      const lost = new RecPushError("locked", "lock-lost", "lost");
      const rows = kind === "update" ? updates(6) : creates(6);
      for (const [looks, requests] of [
        [0, 0],
        [1, 1],
      ]) {
        let left = looks!;
        const beforeRequest = () => (left-- > 0 ? Promise.resolve() : Promise.reject(lost));
        // Not applied, so that it would be sent again.
        const http = await startService((_, response) => answer(response, 503, "busy"));
        const session = openSession(http.url, { batchSize: 3, concurrency: 1 });
        const { failure } = await sendAll(session, rows, { beforeRequest });
        expect(failure).toBe(lost);
        expect(http.requests).toHaveLength(requests!);
      }
    },
  );

  it("throws what is a fault of rec-push, after handing on what settled", async () => {
    const http = await startService((_, response) => answer(response));
    async function* source(): AsyncGenerator<RecordList> {
      yield toRecords(updates(3));
      throw new TypeError("a bug");
    }
    const lines: number[] = [];
    const sending = openSession(http.url, { batchSize: 3 }).send(source(), {
      drain: never,
      abort: never,
      onSettled: async ({ records }) => void lines.push(...records.map(({ line }) => line)),
    });
    await expect(sending).rejects.toThrow("a bug");
    expect(lines).toEqual([2, 3, 4]);
  });
});
