import { describe, expect, it } from "vitest";
import { type PreparedRecord, recordJson, type RecordList } from "../../src/model/settlement.ts";
import { systemClock } from "../../src/send/settings.ts";
import { answer, sleep, startService } from "./support/http-service.ts";
import { linesOf, openSession, sendAll } from "./support/push.ts";
import { create, inChunks, update, updates } from "./support/records.ts";
import { seeded } from "./support/seeded.ts";

describe("order of rows with one key", () => {
  it.each([1, 2, 3, 4, 5, 6])(
    "leaves the last row's value in the service, through delays and retries (seed %i)",
    async (seed) => {
      const random = seeded(seed);
      const table = new Map<string, string>();
      let creates = 0;
      const http = await startService(async ({ records, socket }, response) => {
        const [lateness, fate] = [random(), random()];
        await sleep(lateness * 8);
        // Refused, lost before or after it is applied, or answered at once.
        if (fate < 0.08) return answer(response, 500);
        if (fate < 0.12) return socket.destroy();
        if (fate < 0.16) return answer(response, 429, "x", { "retry-after": "0" });
        if (records.length > 6 && fate < 0.3) return answer(response, 413);
        if (records.some(({ num_commande }) => num_commande === "bad"))
          return answer(response, 400, "bad value");
        for (const { cle, num_commande = "" } of records) {
          if (cle === undefined) creates += 1;
          else table.set(cle, num_commande);
        }
        return fate > 0.95 && records[0]?.["cle"] !== undefined ? socket.destroy() : answer(response);
      });
      const records = Array.from({ length: 400 }, (_, i): PreparedRecord => {
        const which = random();
        if (which < 0.1) return create(i + 2);
        return update(i + 2, `K${Math.floor(which * 30)}`, random() < 0.02 ? "bad" : `v${i + 2}`);
      });
      const session = openSession(
        http.url,
        {
          batchSize: 8,
          concurrency: 6,
          retries: 20,
          maxFailed: 1000,
          backOff: { baseMs: 1, capMs: 4 },
          maxWaitMs: 1e9,
          lateMs: 0,
        },
        systemClock,
      );
      const { settled, failure } = await sendAll(session, records);
      expect(failure).toBeUndefined();
      const expected = new Map<string, string>();
      for (const record of records) {
        const { key } = record;
        const value = (JSON.parse(recordJson(record)) as { num_commande: string }).num_commande;
        if (key !== undefined && value !== "bad") expected.set(key, value);
      }
      expect(Object.fromEntries(table)).toEqual(Object.fromEntries(expected));
      const all = settled.flatMap(({ records: of }) => of.map(({ line }) => line));
      expect([...all].sort((a, b) => a - b)).toEqual(records.map(({ line }) => line));
      const createdOrInDoubt = settled.filter(
        ({ kind, outcome }) => kind === "create" && outcome === "accepted",
      );
      expect(createdOrInDoubt.flatMap(({ records: of }) => of.map(recordJson))).toHaveLength(creates);
    },
  );

  it("has as many requests in flight as it may, and no more", async () => {
    const http = await startService(async (_, response) => {
      await sleep(15);
      answer(response);
    });
    await sendAll(openSession(http.url, { batchSize: 1, concurrency: 3 }), updates(12));
    expect(http.mostAtOnce()).toBe(3);
  });

  it("keeps later rows with the key of a failed update back, and sends the others", async () => {
    const http = await startService(({ records }, response) =>
      answer(response, records.some(({ num_commande }) => num_commande === "v2") ? 500 : 200),
    );
    const records = [update(2, "A"), update(3, "B"), update(4, "A"), update(5, "C"), update(6, "A")];
    const session = openSession(http.url, { batchSize: 2, retries: 1 });
    const { settled, failure } = await sendAll(session, records);
    expect(linesOf(settled, "failed")).toEqual([2, 3]);
    expect(linesOf(settled, "accepted")).toEqual([5]);
    expect(settled.flatMap(({ records: of }) => of.map(recordJson))).toHaveLength(3);
    expect(failure).toBeUndefined();
    const next = await sendAll(session, [update(2, "B"), update(3, "D")]);
    expect(linesOf(next.settled, "accepted")).toEqual([3]);
  });

  it("lets a later row follow one that was refused", async () => {
    const http = await startService(({ records }, response) =>
      answer(response, records.some(({ num_commande }) => num_commande === "v2") ? 422 : 200),
    );
    const { settled } = await sendAll(openSession(http.url), [update(2, "A"), update(3, "A")]);
    expect(linesOf(settled, "refused")).toEqual([2]);
    expect(linesOf(settled, "accepted")).toEqual([3]);
  });
});

describe("counts in a row", () => {
  it("stops after twenty single records that were refused, with what the service says", async () => {
    const http = await startService((_, response) => answer(response, 400, "unknown field num_commande"));
    const { settled, failure } = await sendAll(openSession(http.url, { concurrency: 1 }), updates(100));
    expect(linesOf(settled, "refused")).toHaveLength(20);
    expect(failure).toMatchObject({ kind: "refused", code: "all-refused" });
    expect(failure?.message).toContain("unknown field num_commande");
  });

  it("goes on where an accepted record stands between", async () => {
    const http = await startService(({ records }, response) => {
      const bad = records.some(({ num_commande = "" }) => Number(num_commande.slice(1)) % 10 !== 0);
      answer(response, bad ? 400 : 200);
    });
    const { settled, failure } = await sendAll(openSession(http.url, { concurrency: 1 }), updates(100));
    expect(failure).toBeUndefined();
    expect(linesOf(settled, "refused")).toHaveLength(90);
  });

  it("stops after so many batches in a row that failed or are in doubt", async () => {
    const http = await startService((_, response) => answer(response, 500));
    const session = openSession(http.url, { batchSize: 1, concurrency: 1, retries: 0, maxFailed: 3 });
    const { settled, failure } = await sendAll(session, [
      update(2),
      create(3),
      update(4),
      update(5),
      create(6),
      update(7),
    ]);
    expect(settled).toHaveLength(3);
    expect(failure).toMatchObject({ kind: "unreachable", code: "keeps-failing" });
  });

  it("starts the count again after an accepted batch", async () => {
    const http = await startService(({ number }, response) => answer(response, number % 3 === 0 ? 200 : 500));
    const session = openSession(http.url, { batchSize: 1, concurrency: 1, retries: 0, maxFailed: 3 });
    const { settled, failure } = await sendAll(session, updates(12));
    expect(settled).toHaveLength(12);
    expect(failure).toBeUndefined();
  });
});

describe("memory", () => {
  it("reads ahead a bounded number of records while the service is slow", async () => {
    let read = 0;
    let answered = 0;
    let mostAhead = 0;
    const http = await startService(async ({ records }, response) => {
      mostAhead = Math.max(mostAhead, read - answered);
      await sleep(1);
      answered += records.length;
      answer(response);
    });
    async function* source(): AsyncGenerator<RecordList> {
      for await (const chunk of inChunks(updates(3000), 10)) {
        read += chunk.length;
        yield chunk;
      }
    }
    await sendAll(openSession(http.url, { batchSize: 10, concurrency: 2 }), source());
    expect(answered).toBe(3000);
    expect(mostAhead).toBeLessThanOrEqual((2 + 8 + 1 + 1) * 10);
  });
});
