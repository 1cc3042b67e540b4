import { describe, expect, it } from "vitest";
import { LateKeys, mayLandLater } from "../../src/send/session-state.ts";
import { systemClock } from "../../src/send/settings.ts";
import { toRecords } from "../support/to-record.ts";
import { answer, type Behaviour, type HttpService, sleep, startService } from "./support/http-service.ts";
import { linesOf, openSession, sendAll } from "./support/push.ts";
import { create, update } from "./support/records.ts";

const NO_BACK_OFF = { baseMs: 1, capMs: 1 };

/** A service that leaves the first request of each key to `giveUp`, and applies it later (`landings`). */
function startLate(
  table: Map<string, string>,
  giveUp: Behaviour,
  landings: Promise<void>[],
): Promise<HttpService> {
  const given = new Set<string>();
  return startService((request, response) => {
    const { records } = request;
    const apply = (): void => {
      for (const { cle, num_commande = "" } of records) if (cle !== undefined) table.set(cle, num_commande);
    };
    const first = records.map(({ cle = "" }) => cle).find((key) => !given.has(key));
    if (first !== undefined) {
      for (const { cle = "" } of records) given.add(cle);
      landings.push(sleep(300).then(apply));
      return giveUp(request, response);
    }
    apply();
    return answer(response);
  });
}

const GIVEN_UP: readonly (readonly [string, Behaviour, timeoutMs: number])[] = [
  ["a gateway that times out", (_, response) => answer(response, 504), 10_000],
  ["a gateway whose service goes away", (_, response) => answer(response, 502), 10_000],
  ["a lost connection", ({ socket }) => socket.destroy(), 10_000],
  ["a queue", (_, response) => answer(response, 202), 10_000],
  ["no answer in time", () => undefined, 100],
];

describe("a request that was given up and lands later", () => {
  it.each(GIVEN_UP)("overwrites no newer value with an old one: %s", async (_, giveUp, timeoutMs) => {
    const table = new Map<string, string>();
    const landings: Promise<void>[] = [];
    const http = await startLate(table, giveUp, landings);
    const session = openSession(
      http.url,
      { batchSize: 5, retries: 20, maxFailed: 1000, lateMs: 600, timeoutMs, backOff: NO_BACK_OFF },
      systemClock,
    );
    const records = Array.from({ length: 60 }, (_unused, at) => update(at + 2, `K${at % 20}`));
    const { settled, failure } = await sendAll(session, records);
    await Promise.all(landings);
    expect(failure).toBeUndefined();
    expect(linesOf(settled, "accepted")).toHaveLength(60);
    expect(Object.fromEntries(table)).toEqual(
      Object.fromEntries(Array.from({ length: 20 }, (_unused, at) => [`K${at}`, `v${at + 42}`])),
    );
  });

  it("holds back only the rows of its keys, and says for how long", async () => {
    const http = await startService(({ number }, response) => answer(response, number === 1 ? 504 : 200));
    const waits: string[] = [];
    const session = openSession(http.url, { batchSize: 1, concurrency: 1, lateMs: 7000 });
    const { settled } = await sendAll(
      session,
      [update(2, "A"), update(3, "A"), update(4, "B"), create(5), update(6, "A")],
      { onWaiting: ({ forMs, why, isAsked }) => waits.push(`${forMs} ${why} ${isAsked}`) },
    );
    expect(linesOf(settled, "accepted")).toEqual([2, 4, 3, 6, 5]);
    // 250 of the 7000 went by between the request and the one that was accepted.
    expect(waits).toEqual(["6750 an update that ended without its answer may still land (--late) false"]);
  });

  it("holds back the rows of the next input too", async () => {
    const http = await startService(({ number }, response) => answer(response, number === 1 ? 504 : 200));
    const waits: number[] = [];
    const session = openSession(http.url, { lateMs: 7000 });
    await sendAll(session, [update(2, "A"), update(3, "B")]);
    const onWaiting = ({ forMs }: { readonly forMs: number }): unknown => waits.push(forMs);
    await sendAll(session, [update(2, "C")], { onWaiting });
    expect(waits).toEqual([]);
    await sendAll(session, [update(2, "B")], { onWaiting, hasDistinctKeys: true });
    expect(waits).toEqual([6750]);
  });

  it("does not keep an interrupted run from ending", async () => {
    const http = await startService(({ number }, response) => answer(response, number === 1 ? 504 : 200));
    const drain = new AbortController();
    const session = openSession(http.url, { batchSize: 1, backOff: NO_BACK_OFF }, systemClock);
    const { settled, failure } = await sendAll(session, [update(2, "A"), update(3, "A")], {
      drain: drain.signal,
      onWaiting: () => drain.abort(),
    });
    expect(linesOf(settled, "accepted")).toEqual([2]);
    expect(failure).toMatchObject({ code: "interrupted" });
  });
});

describe("endings after which a request may still land", () => {
  const answered = (status: number) =>
    ({
      kind: "answer",
      status,
      msg: undefined,
      text: "",
      retryAfter: undefined,
      location: undefined,
    }) as const;
  it.each([202, 408, 502, 504, 520, 524])("are the status %i", (status) => {
    expect(mayLandLater(answered(status), new Set())).toBe(true);
    expect(mayLandLater(answered(status), new Set([status]))).toBe(false);
  });
  it.each([200, 201, 204, 400, 429, 500, 501, 503])("are not the status %i", (status) =>
    expect(mayLandLater(answered(status), new Set())).toBe(false),
  );
  it.each(["lost", "timeout", "not-connected", "nothing-written"] as const)(
    "are faults after sending began: %s",
    (stage) =>
      expect(mayLandLater({ kind: "fault", stage, code: "X", message: "x" }, new Set())).toBe(
        stage === "lost" || stage === "timeout",
      ),
  );
});

describe("the keys to wait for", () => {
  it("are forgotten in time, and all keys wait where there are too many", () => {
    const late = new LateKeys(2);
    late.hold(toRecords([update(2, "A")]), 100, 0);
    late.hold(toRecords([update(2, "B")]), 150, 50);
    expect(late.waitMs(toRecords([update(3, "A"), update(4, "C")]), 60)).toBe(40);
    expect(late.waitMs(toRecords([update(3, "C")]), 60)).toBe(0);
    late.hold(toRecords([update(2, "C"), update(3, "D")]), 220, 120);
    expect(late.waitMs(toRecords([update(3, "E")]), 120)).toBe(100);
    expect(late.waitMs(toRecords([update(3, "E")]), 220)).toBe(0);
  });
});
