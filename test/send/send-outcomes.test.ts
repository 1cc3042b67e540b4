import { describe, expect, it } from "vitest";
import type { Settled } from "../../src/model/counts.ts";
import { shownRecord } from "../support/to-record.ts";
import { answer, type Behaviour } from "./support/http-service.ts";
import { inTurn, lost, ok, push, refusing, sendAll, status } from "./support/push.ts";
import { creates, updates } from "./support/records.ts";

describe("sending one batch", () => {
  it("reports for every outcome the records, the attempts and the time", async () => {
    const { settled } = await push(inTurn(status(500), status(500), ok), updates(3));
    expect(settled).toHaveLength(1);
    const { records: sent, ...told } = settled[0]!;
    expect(sent.map(shownRecord)).toEqual(updates(3).map(shownRecord));
    expect(told).toEqual({
      batch: 1,
      kind: "update",
      outcome: "accepted",
      status: 200,
      msg: "Update Items OK.",
      attempts: 3,
      ms: 750,
    } satisfies Omit<Settled, "records">);
  });

  it.each([
    [updates(8), {}],
    [creates(8), { atomicBatches: true }],
  ])("finds the bad records of a batch and sends the others, in order: %#", async (records, settings) => {
    const { settled, lines } = await push(refusing(422, "v3", "v8"), records, settings);
    expect(lines).toMatchObject({ refused: [3, 8], accepted: [2, 4, 5, 6, 7, 9] });
    const all = settled.flatMap(({ records: of }) => of.map(({ line }) => line));
    expect(all).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(new Set(settled.map(({ batch }) => batch))).toEqual(new Set([1]));
    expect(settled.find(({ outcome }) => outcome === "refused")?.attempts).toBe(4);
  });

  it("halves what is too large and remembers the size", async () => {
    const most = 400;
    const behave: Behaviour = ({ body }, response) => answer(response, body.length > most ? 413 : 200);
    const { lines, http, session } = await push(behave, updates(200), { batchSize: 40, concurrency: 1 });
    expect(lines.accepted).toHaveLength(200);
    const tooLarge = () => http.requests.filter(({ body }) => body.length > most).length;
    const before = tooLarge();
    expect(before).toBeLessThanOrEqual(3);
    await sendAll(session, updates(200));
    expect(tooLarge()).toBe(before);
  });

  it("shows where a redirect points, without its query", async () => {
    const to = status(301, { location: "https://u:p@new.example/api/?k=secret" });
    const { failure } = await push(to, updates(3));
    expect(failure?.message).toContain("to https://new.example/api/");
    expect(failure?.message).not.toMatch(/secret|u:p/);
  });
});

describe("creates with idempotency keys", () => {
  const hasKeys = true;

  it("are sent again as the same bytes under the same key where the answer is lost", async () => {
    const settings = { batchSize: 3, concurrency: 1, hasKeys };
    const { lines, http } = await push(
      inTurn(ok, lost, lost, ok),
      [...creates(6), ...updates(2, 20)],
      settings,
    );
    expect(lines.accepted).toHaveLength(8);
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

  it("have another key in each half", async () => {
    const behave: Behaviour = ({ records }, response) => answer(response, records.length > 1 ? 422 : 200);
    const settings = { batchSize: 4, atomicBatches: true, hasKeys, isProven: true };
    const { lines, http } = await push(behave, creates(4), settings);
    expect(lines.accepted).toHaveLength(4);
    expect(new Set(http.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(7);
  });

  it("wait where the service says that the first request is still at work", async () => {
    const { lines } = await push(inTurn(lost, status(409), ok), creates(3), { hasKeys });
    expect(lines.accepted).toHaveLength(3);
  });

  it.each([
    [3, 400, "refused creates-refused"],
    [3, 401, "credentials credentials-refused"],
    [3, 413, ""],
    [1, 422, ""],
  ])(
    "stay in doubt if %i of them were lost once, whatever %i says of the second try",
    async (count, code, stop) => {
      const pushed = await push(inTurn(lost, status(code)), creates(count), { hasKeys, isProven: true });
      expect(pushed.settled).toMatchObject([{ outcome: "inDoubt", attempts: 2, status: code }]);
      expect(pushed.stop).toBe(stop);
    },
  );
});
