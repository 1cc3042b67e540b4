import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchRecords } from "../../src/send/batch.ts";
import { KeyOrder, type OrderedBatch } from "../../src/send/send-session.ts";
import { HeldKeys } from "../../src/send/session-state.ts";
import { toRecords } from "../support/to-record.ts";
import { create, inChunks, update } from "./support/records.ts";

describe("KeyOrder", () => {
  it("lets a batch wait for the last earlier one with one of its keys", () => {
    const order = new KeyOrder(false);
    const [a, b, c] = [
      order.enter(toRecords([update(2, "K1"), update(3, "K2")])),
      order.enter(toRecords([update(4, "K2"), update(5, "K1")])),
      order.enter(toRecords([update(6, "K2")])),
    ] as const;
    expect([a.waitsFor, b.waitsFor, c.waitsFor]).toEqual([0, 1, 1]);
    order.settle(a);
    expect([b.waitsFor, c.waitsFor]).toEqual([0, 1]);
    order.settle(b);
    expect(c.waitsFor).toBe(0);
  });

  it("lets creates and other keys pass", () => {
    const order = new KeyOrder(false);
    order.enter(toRecords([update(2, "K1")]));
    expect(order.enter(toRecords([update(3, "K2")])).waitsFor).toBe(0);
    expect(order.enter(toRecords([create(4), create(5)])).waitsFor).toBe(0);
  });

  it("never lets two unsettled batches with one key go, and lets all go in the end", async () => {
    // Keys that rise for a while, then any.
    const drawn = fc
      .tuple(fc.nat(12), fc.array(fc.nat(12), { maxLength: 40 }))
      .map(([rising, others]) => Array.from({ length: rising }, (_, key) => key).concat(others));
    await fc.assert(
      fc.asyncProperty(
        drawn,
        fc.integer({ min: 1, max: 4 }),
        fc.infiniteStream(fc.nat()),
        async (keys, maxRecords, picks) => {
          const records = keys.map((key, line) => update(line, `K${String(key).padStart(2, "0")}`));
          const limits = { maxRecords, maxBytes: 10_000, envelopeBytes: 2 };
          const order = new KeyOrder(false);
          const unsettled: { readonly lines: readonly number[]; readonly place: OrderedBatch }[] = [];
          const settled: number[] = [];
          function settleOne(): void {
            const free = unsettled.filter(({ place }) => place.waitsFor === 0);
            const held = free.flatMap(({ lines }) => lines.map((line) => keys[line]));
            expect(new Set(held).size).toBe(held.length);
            const pick = free[picks.next().value % free.length]!;
            order.settle(pick.place);
            settled.push(...pick.lines);
            unsettled.splice(unsettled.indexOf(pick), 1);
          }
          for await (const batch of batchRecords(inChunks(records, 5), limits)) {
            const lines = batch.records.map(({ line }) => line);
            unsettled.push({ lines, place: order.enter(batch.records) });
            if (picks.next().value % 2 === 0) settleOne();
          }
          while (unsettled.length > 0) settleOne();
          expect(settled).toHaveLength(keys.length);
          for (const key of new Set(keys)) {
            const ofKey = settled.filter((line) => keys[line] === key);
            expect(ofKey).toEqual(ofKey.toSorted((one, other) => one - other));
          }
        },
      ),
    );
  });
});

describe("HeldKeys", () => {
  it("holds back later rows with the key of a failed update, and only these", () => {
    const held = new HeldKeys();
    held.hold(toRecords([update(2, "K1")]), Infinity, 0);
    held.hold(toRecords([update(2, "K1")]), 100, 0);
    const records = toRecords([update(3, "K1"), update(4, "K2"), create(5)]);
    expect(held.allowed(records).map(({ line }) => line)).toEqual([4, 5]);
    expect(held.waitMs(records, 0)).toBe(0);
  });
});
