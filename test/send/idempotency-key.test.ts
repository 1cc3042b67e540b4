import { describe, expect, it } from "vitest";
import { answer, startService } from "./support/http-service.ts";
import { linesOf, openSession, sendAll } from "./support/push.ts";
import { creates, updates } from "./support/records.ts";

describe("creates with idempotency keys", () => {
  it("are sent again as the same bytes under the same key where the answer is lost", async () => {
    const http = await startService(({ number, socket }, response) =>
      number === 2 || number === 3 ? socket.destroy() : answer(response),
    );
    const settings = { batchSize: 3, concurrency: 1, hasKeys: true };
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

  it("are in doubt once the tries are used up", async () => {
    const http = await startService(({ socket }) => socket.destroy());
    const lost = async (settings: object) => {
      const before = http.requests.length;
      const { settled } = await sendAll(openSession(http.url, { retries: 3, ...settings }), creates(1));
      return [http.requests.length - before, settled.map(({ outcome }) => outcome)];
    };
    expect(await lost({ hasKeys: true })).toEqual([4, ["inDoubt"]]);
    expect(await lost({ hasKeys: false })).toEqual([1, ["inDoubt"]]);
  });

  it("have another key in each half", async () => {
    const http = await startService(({ records }, response) =>
      answer(response, records.length > 1 ? 422 : 200),
    );
    const settings = { batchSize: 4, atomicBatches: true, hasKeys: true };
    const { settled } = await sendAll(openSession(http.url, settings), creates(4));
    expect(linesOf(settled, "accepted")).toHaveLength(4);
    const keys = http.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(7);
  });

  it("wait where the service says that the first request is still at work", async () => {
    const http = await startService(({ number, socket }, response) =>
      number === 1 ? socket.destroy() : answer(response, number === 2 ? 409 : 200),
    );
    const { settled } = await sendAll(openSession(http.url, { hasKeys: true }), creates(3));
    expect(linesOf(settled, "accepted")).toHaveLength(3);
  });
});
