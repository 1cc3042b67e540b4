import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { answer, startService } from "./support/http-service.ts";
import { linesOf, openSession, sendAll } from "./support/push.ts";
import { creates, updates } from "./support/records.ts";

const DAY_MS = 24 * 60 * 60_000;

describe("creates with idempotency keys", () => {
  it("are sent again as the same bytes under the same key where the answer is lost", async () => {
    const http = await startService(({ number, socket }, response) =>
      number === 2 || number === 3 ? socket.destroy() : answer(response),
    );
    const settings = { batchSize: 3, concurrency: 1, keyTtlMs: DAY_MS };
    const { settled } = await sendAll(openSession(http.url, settings), [...creates(6), ...updates(2, 20)]);
    expect(linesOf(settled, "accepted")).toHaveLength(8);
    const sent = http.requests.map(({ headers, body }) => ({ key: headers["idempotency-key"], body }));
    const bodies = new Map<string, Set<string>>();
    for (const { key, body } of sent.filter(({ body }) => !body.includes("cle"))) {
      expect(key).toMatch(/^"[0-9a-f-]{36}"$/);
      bodies.set(String(key), (bodies.get(String(key)) ?? new Set()).add(body));
    }
    expect([...bodies.values()].map(({ size }) => size)).toEqual([1, 1, 1]);
    expect(sent.filter(({ body }) => body.includes("cle")).map(({ key }) => key)).toEqual([undefined]);
    expect(http.requests).toHaveLength(6);
  });

  it("are in doubt once the tries or the life of the key are used up", async () => {
    const http = await startService(({ socket }) => socket.destroy());
    const lost = async (settings: object) => {
      const before = http.requests.length;
      const { settled } = await sendAll(openSession(http.url, { retries: 3, ...settings }), creates(1));
      return [http.requests.length - before, settled.map(({ outcome }) => outcome)];
    };
    expect(await lost({ keyTtlMs: DAY_MS })).toEqual([4, ["inDoubt"]]);
    expect(await lost({ keyTtlMs: 100 })).toEqual([1, ["inDoubt"]]);
    expect(await lost({ keyTtlMs: undefined })).toEqual([1, ["inDoubt"]]);
  });

  it("have another key in each half", async () => {
    const http = await startService(({ records }, response) =>
      answer(response, records.length > 1 ? 422 : 200),
    );
    const settings = { batchSize: 4, atomicBatches: true, keyTtlMs: DAY_MS };
    const { settled } = await sendAll(openSession(http.url, settings), creates(4));
    expect(linesOf(settled, "accepted")).toHaveLength(4);
    const keys = http.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(7);
  });

  it("wait where the service says that the first request is still at work", async () => {
    const http = await startService(({ number, socket }, response) =>
      number === 1 ? socket.destroy() : answer(response, number === 2 ? 409 : 200),
    );
    const { settled } = await sendAll(openSession(http.url, { keyTtlMs: DAY_MS }), creates(3));
    expect(linesOf(settled, "accepted")).toHaveLength(3);
  });

  it("of an earlier process are sent again in their own request, and only as the same bytes", async () => {
    const http = await startService((_, response) => answer(response));
    const records = creates(5);
    const settings = { batchSize: 2, keyTtlMs: DAY_MS };
    const again = async (sum: string) => {
      const before = http.requests.length;
      const key = { key: "of-then", sinceMs: Date.UTC(2024, 0, 1), sum };
      const two = { records: 2, key };
      const doubtful = new Map([
        [1, two],
        [3, two],
      ]);
      const { settled } = await sendAll(openSession(http.url, settings), records, { doubtful });
      return { settled, requests: http.requests.slice(before) };
    };
    const first = await again("");
    expect(linesOf(first.settled, "inDoubt")).toEqual([records[1]!.line, records[3]!.line]);
    expect(first.requests.some(({ headers }) => headers["idempotency-key"] === '"of-then"')).toBe(false);
    const body = JSON.stringify(["v3", "v5"].map((num_commande) => ({ num_commande })));
    const second = await again(createHash("sha256").update(body).digest("hex"));
    expect(linesOf(second.settled, "accepted")).toHaveLength(5);
    expect(second.requests.find(({ headers }) => headers["idempotency-key"] === '"of-then"')?.body).toBe(
      body,
    );
  });
});
