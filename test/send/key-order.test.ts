import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchRecords } from "../../src/send/batch.ts";
import { KeyOrder, type OrderedBatch } from "../../src/send/send-session.ts";
import { inChunks, update } from "./support/records.ts";

describe("KeyOrder", () => {
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
