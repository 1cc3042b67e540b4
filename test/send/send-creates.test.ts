import { describe, expect, it } from "vitest";
import { RecPushError } from "../../src/model/failure.ts";
import { recordJson } from "../../src/model/settlement.ts";
import { systemClock } from "../../src/send/settings.ts";
import { answer, sleep, startService } from "./support/http-service.ts";
import { linesOf, openSession, sendAll } from "./support/push.ts";
import { creates, update, updates } from "./support/records.ts";

describe("creates", () => {
  it("sends a single create first and waits for its answer, while updates flow", async () => {
    const order: string[] = [];
    const updatesSeen = new Set<number>();
    const http = await startService(async ({ number, records }, response) => {
      const isUpdate = records[0]?.["cle"] !== undefined;
      order.push(`${records.length} ${isUpdate ? "updates" : "creates"}`);
      if (isUpdate) updatesSeen.add(number);
      // The first create is answered only after the updates have arrived.
      else while (updatesSeen.size < 3) await sleep(1);
      answer(response);
    });
    const session = openSession(http.url, { batchSize: 5 }, systemClock);
    const { settled } = await sendAll(session, [...creates(12), ...updates(15, 14)]);
    const createsSent = order.filter((what) => what.endsWith("creates"));
    expect(createsSent[0]).toBe("1 creates");
    expect([...createsSent].sort()).toEqual(["1 creates", "2 creates", "4 creates", "5 creates"]);
    expect(order.slice(0, 4).filter((what) => what === "5 updates")).toHaveLength(3);
    expect(linesOf(settled, "accepted")).toHaveLength(27);
    order.length = 0;
    await sendAll(session, creates(12));
    expect([...order].sort()).toEqual(["2 creates", "5 creates", "5 creates"]);
  });

  it("sends the only batch of creates whole", async () => {
    const http = await startService((_, response) => answer(response));
    await sendAll(openSession(http.url, { batchSize: 5 }), creates(5));
    expect(http.requests.map(({ records }) => records.length)).toEqual([5]);
  });

  it("goes on with single creates until one is accepted", async () => {
    const http = await startService(({ number }, response) => answer(response, number < 3 ? 400 : 200));
    const { settled } = await sendAll(openSession(http.url, { batchSize: 5, concurrency: 1 }), creates(10));
    expect(http.requests.map(({ records }) => records.length)).toEqual([1, 1, 1, 2, 5]);
    expect(linesOf(settled, "refused")).toEqual([2, 3]);
    expect(linesOf(settled, "accepted")).toHaveLength(8);
  });

  it("leaves the other creates unsent after a batch that was refused, and goes on with updates", async () => {
    const http = await startService(({ records }, response) =>
      answer(response, records.some(({ num_commande }) => num_commande === "v4") ? 422 : 200),
    );
    const records = [...creates(9), ...updates(6, 11)];
    const { settled, failure } = await sendAll(
      openSession(http.url, { batchSize: 3, concurrency: 1 }),
      records,
    );
    expect(linesOf(settled, "accepted").sort((a, b) => a - b)).toEqual([2, 11, 12, 13, 14, 15, 16]);
    expect(linesOf(settled, "inDoubt")).toEqual([3, 4]);
    expect(settled.flatMap(({ records: of }) => of.map(recordJson))).toHaveLength(9);
    expect(failure).toMatchObject({ kind: "refused", code: "creates-refused" });
    expect(failure?.hint).toContain("--atomic-batches");
  });

  it("sends creates one batch at a time after one in doubt, until one is accepted", async () => {
    const inFlight: number[] = [];
    let open = 0;
    const http = await startService(async ({ number }, response) => {
      open += 1;
      inFlight.push(open);
      await sleep(number === 5 ? 400 : 120);
      open -= 1;
      answer(response, number >= 2 && number <= 4 ? 500 : 200);
    });
    const session = openSession(http.url, { batchSize: 2, concurrency: 3 });
    const { settled } = await sendAll(session, creates(20));
    expect(linesOf(settled, "inDoubt")).toHaveLength(5);
    // The single one; three at once, all in doubt; one alone, which is accepted; three at once again.
    expect(inFlight.slice(0, 8)).toEqual([1, 1, 2, 3, 1, 1, 2, 3]);
  });

  it("announces exactly the records of each request before it leaves", async () => {
    const events: string[] = [];
    const http = await startService(({ records }, response) => {
      events.push(`sent ${records.map(({ num_commande }) => num_commande).join()}`);
      answer(response);
    });
    await sendAll(openSession(http.url, { batchSize: 2, concurrency: 1 }), [...creates(3), update(9)], {
      beforeCreate: async ({ records }, texts) => {
        await sleep(5);
        expect(texts.toString()).toBe(records.map(recordJson).join(","));
        events.push(`announced ${records.map(({ line }) => `v${line}`).join()}`);
      },
    });
    for (const lines of ["v2", "v3", "v4"]) {
      expect(events.indexOf(`announced ${lines}`)).toBe(events.indexOf(`sent ${lines}`) - 1);
    }
    expect(events).toContain("sent v9");
    expect(events).not.toContain("announced v9");
  });

  it("sends nothing that could not be announced, and stops with that failure", async () => {
    const http = await startService((_, response) => answer(response));
    const full = new RecPushError("machine", "cannot-write-journal", "no space left");
    const { settled, failure } = await sendAll(openSession(http.url), creates(3), {
      beforeCreate: () => Promise.reject(full),
    });
    expect([settled, failure, http.requests]).toEqual([[], full, []]);
  });

  it("reports a later stop rather than the refused creates", async () => {
    const http = await startService(({ records }, response) => {
      if (records[0]?.["cle"] !== undefined) answer(response, 401);
      else answer(response, records.length === 1 ? 200 : 422);
    });
    const session = openSession(http.url, { batchSize: 3, concurrency: 1 });
    const { settled, failure } = await sendAll(session, [...creates(7), ...updates(3, 20)]);
    expect(settled.map(({ outcome }) => outcome)).toEqual(["accepted", "inDoubt"]);
    expect(failure?.kind).toBe("credentials");
  });
});
