import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SpillPlaces } from "../../src/prepare/thread/outlet.ts";

const KIB = 1024;

describe("the places of chunks in the file of records", () => {
  it("lie behind each other, and where there is no room those that were freed are taken again", () => {
    const places = new SpillPlaces({ from: 100, maxBytes: 100 + 3 * 64 * KIB });
    expect([1, 64 * KIB, 50_000].map((bytes) => places.take(bytes))).toEqual([100, 65_636, 131_172]);
    expect(places.take(1)).toBeUndefined();
    places.free([65_636]);
    expect(places.take(64 * KIB + 1)).toBeUndefined();
    expect(places.take(60_000)).toBe(65_636);
    expect(places.take(1)).toBeUndefined();
  });

  it("are free once, however often they are freed", () => {
    const places = new SpillPlaces({ from: 0, maxBytes: 2 * 64 * KIB });
    expect([places.take(1), places.take(1)]).toEqual([0, 64 * KIB]);
    places.free([0]);
    places.free([0, 0]);
    expect(places.take(1)).toBe(0);
    expect(places.take(1)).toBeUndefined();
  });

  it("never share a byte with one that is needed, nor reach beyond the file", () => {
    const step = fc.oneof(
      fc.record({ bytes: fc.integer({ min: 1, max: 200_000 }) }),
      fc.record({ freed: fc.nat({ max: 30 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.nat({ max: 1_000_000 }), (steps, from) => {
        const maxBytes = from + 1_500_000;
        const places = new SpillPlaces({ from, maxBytes });
        const needed: { at: number; end: number }[] = [];
        for (const one of steps) {
          if ("freed" in one) {
            const [freed] = needed.splice(one.freed, 1);
            // A position that is told twice, or was never taken, frees nothing.
            if (freed !== undefined) places.free([freed.at, freed.at, freed.at + 1]);
            continue;
          }
          const at = places.take(one.bytes);
          if (at === undefined) continue;
          const end = at + one.bytes;
          expect(at >= from && end <= maxBytes).toBe(true);
          expect(needed.filter((other) => other.at < end && at < other.end)).toEqual([]);
          needed.push({ at, end });
        }
      }),
    );
  });
});
