import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HeldKeys } from "../../src/send/held-keys.ts";
import { KeyOrder } from "../../src/send/key-order.ts";
import { create, update } from "./support/records.ts";
import { toRecords } from "../support/to-record.ts";

describe("KeyOrder", () => {
  it("lets a batch wait for the last earlier one with one of its keys", () => {
    const order = new KeyOrder();
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
    const order = new KeyOrder();
    order.enter(toRecords([update(2, "K1")]));
    expect(order.enter(toRecords([update(3, "K2")])).waitsFor).toBe(0);
    expect(order.enter(toRecords([create(4), create(5)])).waitsFor).toBe(0);
  });

  it("never lets two unsettled batches with one key go, and lets all go in the end", () => {
    const batches = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { minLength: 1 }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(batches, fc.infiniteStream(fc.nat()), (keys, picks) => {
        const order = new KeyOrder();
        const waiting = keys.map((of, i) => ({
          i,
          of,
          place: order.enter(toRecords(of.map((key) => update(i, `K${key}`)))),
        }));
        const settled: number[] = [];
        while (waiting.length > 0) {
          const free = waiting.filter(({ place }) => place.waitsFor === 0);
          expect(free.length).toBeGreaterThan(0);
          const held = free.flatMap(({ of }) => of);
          expect(new Set(held).size).toBe(held.length);
          const pick = free[picks.next().value % free.length];
          if (pick === undefined) throw new Error("none is free");
          order.settle(pick.place);
          settled.push(pick.i);
          waiting.splice(waiting.indexOf(pick), 1);
        }
        for (let key = 0; key <= 5; key += 1) {
          const ofKey = settled.filter((i) => keys[i]?.includes(key));
          expect(ofKey).toEqual([...ofKey].sort((a, b) => a - b));
        }
      }),
    );
  });
});

describe("HeldKeys", () => {
  it("holds back later rows with the key of a failed update, and only these", () => {
    const held = new HeldKeys();
    held.hold(toRecords([update(2, "K1")]));
    const records = toRecords([update(3, "K1"), update(4, "K2"), create(5)]);
    expect(held.allowed(records).map(({ line }) => line)).toEqual([4, 5]);
  });
});
