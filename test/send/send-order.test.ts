import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { shareOf } from "../support/draws.ts";
import { RecPushError } from "../../src/model/failure.ts";
import { type PreparedRecord, recordJson, type RecordList } from "../../src/model/settlement.ts";
import { HeldKeys } from "../../src/send/session-state.ts";
import { systemClock } from "../../src/send/settings.ts";
import { toRecords } from "../support/to-record.ts";
import { answer, type Behaviour } from "./support/http-service.ts";
import { inTurn, linesOf, lost, ok, push, refusing, sendAll, silent, status } from "./support/push.ts";
import { create, creates, inChunks, update, updates } from "./support/records.ts";
import { seeded } from "../chaos/random.ts";

const hasKey = (records: readonly Readonly<Record<string, string>>[]): boolean =>
  records[0]?.["cle"] !== undefined;

describe("creates", () => {
  it("begin with a single one, whose answer is awaited, while updates flow", async () => {
    const order: string[] = [];
    let updatesSeen = 0;
    const behave: Behaviour = async ({ records }, response) => {
      order.push(`${records.length} ${hasKey(records) ? "updates" : "creates"}`);
      if (hasKey(records)) updatesSeen += 1;
      // The first create is answered only after the updates have arrived.
      else while (updatesSeen < 3) await sleep(1);
      answer(response);
    };
    const settings = { batchSize: 5, clock: systemClock };
    const { lines, session } = await push(behave, [...creates(12), ...updates(15, 14)], settings);
    const createsSent = order.filter((what) => what.endsWith("creates"));
    expect(createsSent[0]).toBe("1 creates");
    expect(createsSent.toSorted()).toEqual(["1 creates", "2 creates", "4 creates", "5 creates"]);
    expect(order.slice(0, 4).filter((what) => what === "5 updates")).toHaveLength(3);
    expect(lines.accepted).toHaveLength(27);
    order.length = 0;
    await sendAll(session, creates(12));
    expect(order.toSorted()).toEqual(["2 creates", "5 creates", "5 creates"]);
  });

  it("begin with a single one in their only batch too", async () => {
    expect((await push(ok, creates(5), { batchSize: 5 })).sizes).toEqual([1, 4]);
  });

  it("go on one by one until one is accepted", async () => {
    const behave = inTurn(status(400), status(400), ok);
    const { sizes, lines } = await push(behave, creates(10), { batchSize: 5, concurrency: 1 });
    expect([sizes, lines.refused, lines.accepted.length]).toEqual([[1, 1, 1, 2, 5], [2, 3], 8]);
  });

  it.each([
    ["while updates go on", 200, [11, 12, 13, 14, 15, 16], "refused creates-refused"],
    ["and are no reason where something stops the run later", 401, [], "credentials credentials-refused"],
  ])("stay unsent after a batch of them was refused, %s", async (_, code, updated, stop) => {
    const behave: Behaviour = (request, response) =>
      hasKey(request.records) ? answer(response, code) : refusing(422, "v4")(request, response);
    const records = [...creates(9), ...updates(6, 11)];
    const pushed = await push(behave, records, { batchSize: 3, concurrency: 1 });
    expect(pushed.lines.accepted.toSorted((a, b) => a - b)).toEqual([2, ...updated]);
    expect([pushed.lines.inDoubt, pushed.lines.refused, pushed.stop]).toEqual([[3, 4], [], stop]);
    expect(pushed.failure?.hint).toContain(code === 401 ? "check the token" : "--atomic-batches");
  });

  it("go one batch at a time after one in doubt, until one is accepted", async () => {
    const inFlight: number[] = [];
    let open = 0;
    const behave: Behaviour = async ({ number }, response) => {
      open += 1;
      inFlight.push(open);
      await sleep(number === 5 ? 400 : 120);
      open -= 1;
      answer(response, number >= 2 && number <= 4 ? 500 : 200);
    };
    const { lines } = await push(behave, creates(20), { batchSize: 2, concurrency: 3 });
    expect(lines.inDoubt).toHaveLength(5);
    // The single one; three at once, all in doubt; one alone, which is accepted; three at once again.
    expect(inFlight.slice(0, 8)).toEqual([1, 1, 2, 3, 1, 1, 2, 3]);
  });

  it("are announced, exactly those of each request, before it leaves", async () => {
    const events: string[] = [];
    const behave: Behaviour = ({ records }, response) => {
      events.push(`sent ${records.map(({ num_commande }) => num_commande).join()}`);
      answer(response);
    };
    const beforeCreate = async ({ records }: { records: RecordList }, texts: Buffer): Promise<void> => {
      await sleep(5);
      expect(texts.toString()).toBe(records.map(recordJson).join(","));
      events.push(`announced ${records.map(({ line }) => `v${line}`).join()}`);
    };
    const how = { batchSize: 2, concurrency: 1, on: { beforeCreate } };
    await push(behave, [...creates(3), update(9)], how);
    for (const lines of ["v2", "v3", "v4"])
      expect(events.indexOf(`announced ${lines}`)).toBe(events.indexOf(`sent ${lines}`) - 1);
    expect(events).toContain("sent v9");
    expect(events).not.toContain("announced v9");
  });

  it("that could not be announced are not sent, and the push stops with that failure", async () => {
    const full = new RecPushError("cannot-write-journal", "no space left");
    const on = { beforeCreate: () => Promise.reject(full) };
    const { settled, failure, sizes } = await push(ok, creates(3), { on });
    expect([settled, failure, sizes]).toEqual([[], full, []]);
  });
});

describe("order of rows with one key", () => {
  it.each(shareOf([1, 2, 3, 4, 5, 6], 2))(
    "leaves the last row's value in the service, through delays and retries (seed %i)",
    async (seed) => {
      const random = seeded(seed);
      const table = new Map<string, string>();
      let created = 0;
      const behave: Behaviour = async ({ records, socket }, response) => {
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
          if (cle === undefined) created += 1;
          else table.set(cle, num_commande);
        }
        return fate > 0.95 && hasKey(records) ? socket.destroy() : answer(response);
      };
      const records = Array.from({ length: 400 }, (_, i): PreparedRecord => {
        const which = random();
        if (which < 0.1) return create(i + 2);
        return update(i + 2, `K${Math.floor(which * 30)}`, random() < 0.02 ? "bad" : `v${i + 2}`);
      });
      const many = { retries: 20, maxFailed: 1000, maxWaitMs: 1e9, lateMs: 0, clock: systemClock };
      const pace = { batchSize: 8, concurrency: 6, backOff: { baseMs: 1, capMs: 4 } };
      const { settled, stop } = await push(behave, records, { ...many, ...pace });
      const expected = new Map<string, string>();
      for (const record of records) {
        const value = (JSON.parse(recordJson(record)) as { num_commande: string }).num_commande;
        if (record.key !== undefined && value !== "bad") expected.set(record.key, value);
      }
      expect([stop, Object.fromEntries(table)]).toEqual(["", Object.fromEntries(expected)]);
      const all = settled.flatMap(({ records: of }) => of.map(({ line }) => line));
      expect(all.toSorted((a, b) => a - b)).toEqual(records.map(({ line }) => line));
      const accepted = settled.filter(({ kind, outcome }) => kind === "create" && outcome === "accepted");
      expect(accepted.flatMap(({ records: of }) => of.map(recordJson))).toHaveLength(created);
    },
  );

  it("has as many requests in flight as it may, and no more", async () => {
    const behave: Behaviour = async (_, response) => {
      await sleep(15);
      answer(response);
    };
    const { http } = await push(behave, updates(12), { batchSize: 1, concurrency: 3 });
    expect(http.mostAtOnce()).toBe(3);
  });

  it("keeps later rows with the key of a failed update back, in the next input too, and sends the others", async () => {
    const records = [update(2, "A"), update(3, "B"), update(4, "A"), update(5, "C"), update(6, "A")];
    const pushed = await push(refusing(500, "v2"), records, { batchSize: 2, retries: 1 });
    expect(pushed.lines).toMatchObject({ failed: [2, 3], accepted: [5] });
    expect([pushed.settled.flatMap(({ records: of }) => of.map(recordJson)).length, pushed.stop]).toEqual([
      3,
      "",
    ]);
    const next = await sendAll(pushed.session, [update(2, "B"), update(3, "D")]);
    expect(linesOf(next.settled, "accepted")).toEqual([3]);
  });
});

describe("counts in a row", () => {
  const single = { batchSize: 1, concurrency: 1, retries: 0, maxFailed: 3 };
  const mixed = [update(2), create(3), update(4), update(5), create(6), update(7)];
  const tens: Behaviour = ({ records }, response) =>
    answer(response, records.some(({ num_commande = "" }) => !num_commande.endsWith("0")) ? 400 : 200);
  const thirds: Behaviour = ({ number }, response) => answer(response, number % 3 === 0 ? 200 : 500);

  it.each([
    [
      "twenty single records refused",
      status(400),
      updates(100),
      { concurrency: 1 },
      20,
      "refused all-refused",
    ],
    ["as many, with accepted ones between", tens, updates(100), { concurrency: 1 }, 100, ""],
    ["three batches failed or in doubt", status(500), mixed, single, 3, "unreachable keeps-failing"],
    ["two, and an accepted one between", thirds, updates(12), single, 12, ""],
  ] as const)("%s: stops or goes on", async (_, behave, records, settings, settledRows, stop) => {
    const pushed = await push(behave, records, settings);
    const rows = pushed.settled.reduce((sum, { records: of }) => sum + of.length, 0);
    expect([rows, pushed.stop]).toEqual([settledRows, stop]);
    // It repeats what the service said.
    expect(pushed.failure?.message ?? "status").toContain("status");
  });
});

it("reads ahead a bounded number of records while the service is slow", async () => {
  let [read, answered, mostAhead] = [0, 0, 0];
  const behave: Behaviour = async ({ records }, response) => {
    mostAhead = Math.max(mostAhead, read - answered);
    await sleep(1);
    answered += records.length;
    answer(response);
  };
  async function* source(): AsyncGenerator<RecordList> {
    for await (const chunk of inChunks(updates(3000), 10)) {
      read += chunk.length;
      yield chunk;
    }
  }
  await push(behave, source(), { batchSize: 10, concurrency: 2 });
  expect(answered).toBe(3000);
  expect(mostAhead).toBeLessThanOrEqual((2 + 8 + 1 + 1) * 10);
});

/** Leaves the first request of each key to `giveUp`, and applies it later (`landings`). */
function landingLate(table: Map<string, string>, giveUp: Behaviour, landings: Promise<void>[]): Behaviour {
  const given = new Set<string>();
  return (request, response) => {
    const { records } = request;
    const apply = (): void => {
      for (const { cle, num_commande = "" } of records) if (cle !== undefined) table.set(cle, num_commande);
    };
    const isFirst = records.some(({ cle = "" }) => !given.has(cle));
    for (const { cle = "" } of records) given.add(cle);
    if (isFirst) {
      landings.push(sleep(150).then(apply));
      return giveUp(request, response);
    }
    apply();
    return answer(response);
  };
}

describe("a request that was given up and lands later", () => {
  const backOff = { baseMs: 1, capMs: 1 };

  it.each([
    ["a gateway that times out", status(504), 10_000],
    ["a lost connection", lost, 10_000],
    ["no answer in time", silent, 100],
  ])("overwrites no newer value with an old one: %s", async (_, giveUp, timeoutMs) => {
    const table = new Map<string, string>();
    const landings: Promise<void>[] = [];
    const records = Array.from({ length: 60 }, (_unused, at) => update(at + 2, `K${at % 20}`));
    const settings = { batchSize: 5, retries: 20, maxFailed: 1000, lateMs: 300, timeoutMs, backOff };
    const behave = landingLate(table, giveUp, landings);
    const { lines, stop } = await push(behave, records, { ...settings, clock: systemClock });
    await Promise.all(landings);
    expect([lines.accepted.length, stop]).toEqual([60, ""]);
    expect(Object.fromEntries(table)).toEqual(
      Object.fromEntries(Array.from({ length: 20 }, (_unused, at) => [`K${at}`, `v${at + 42}`])),
    );
  });

  it("holds back only the rows of its keys, and says for how long", async () => {
    const waits: string[] = [];
    const on = {
      onWaiting: (told: { forMs: number; why: string; isAsked: boolean }) =>
        void waits.push(`${told.forMs} ${told.why} ${told.isAsked}`),
    };
    const records = [update(2, "A"), update(3, "A"), update(4, "B"), create(5), update(6, "A")];
    const settings = { batchSize: 1, concurrency: 1, lateMs: 7000 };
    const { lines } = await push(inTurn(status(504), ok), records, { ...settings, on });
    expect(lines.accepted).toEqual([2, 4, 3, 6, 5]);
    // 250 of the 7000 went by between the request and the one that was accepted.
    expect(waits).toEqual(["6750 an update that got no answer may still be applied (--late) false"]);
  });

  it("holds back the rows of the next input too, from the moment its last try left", async () => {
    const behave = inTurn(status(504), status(504), ok);
    const { session } = await push(behave, [update(2, "A"), update(3, "B")], { lateMs: 7000 });
    const waits: number[] = [];
    const onWaiting = ({ forMs }: { readonly forMs: number }): unknown => waits.push(forMs);
    await sendAll(session, [update(2, "C")], { onWaiting });
    expect(waits).toEqual([]);
    await sendAll(session, [update(2, "B")], { onWaiting, hasDistinctKeys: true });
    // The second try left after 250, and the third was accepted after 750.
    expect(waits).toEqual([6500]);
  });

  it("does not keep an interrupted run from ending", async () => {
    const drain = new AbortController();
    const on = { drain: drain.signal, onWaiting: () => drain.abort() };
    const settings = { batchSize: 1, backOff, clock: systemClock };
    const records = [update(2, "A"), update(3, "A")];
    const { lines, stop } = await push(inTurn(status(504), ok), records, { ...settings, on });
    expect([lines.accepted, stop]).toEqual([[2], "interrupted interrupted"]);
  });

  it("is forgotten in time, and too many are not remembered", () => {
    const late = new HeldKeys(2);
    expect(late.hold(toRecords([update(2, "A")]), 100, 0)).toBe(true);
    expect(late.hold(toRecords([update(2, "B")]), 150, 50)).toBe(true);
    expect(late.waitMs(toRecords([update(3, "A"), update(4, "C")]), 60)).toBe(40);
    expect(late.waitMs(toRecords([update(3, "C")]), 60)).toBe(0);
    expect(late.hold(toRecords([update(2, "C")]), 220, 120)).toBe(true);
    expect(late.waitMs(toRecords([update(3, "C")]), 120)).toBe(100);
    expect(late.waitMs(toRecords([update(3, "C")]), 220)).toBe(0);
    expect(late.hold(toRecords([update(2, "D")]), Infinity, 140)).toBe(false);
  });
});
