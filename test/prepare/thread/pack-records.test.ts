import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeRecords } from "../../../src/fields/record/place-records.ts";
import { recordJson } from "../../../src/model/record.ts";
import { headBytes, packStretch, unpackStretch } from "../../../src/prepare/thread/pack-records.ts";

const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constantFrom("", "\ud800", "é", "€"));
const record = fc.record({
  line: number,
  row: number,
  ordinal: number,
  key: fc.option(text, { nil: undefined }),
  value: text,
});
const problem = fc.record({ line: number, reason: text, value: text });

describe("a packed stretch", () => {
  it("holds the records and problems that were put into it", () => {
    fc.assert(
      fc.property(fc.array(fc.array(record)), fc.array(problem), (stretches, problems) => {
        const records = stretches.flatMap((stretch) =>
          placeRecords(
            stretch,
            stretch.map(({ value }) => JSON.stringify({ a: value })),
          ),
        );
        const { layout, bytes } = packStretch({ records, problems }, (size) => Buffer.allocUnsafeSlow(size));
        const head = headBytes(layout);
        expect(bytes).toHaveLength(head + layout.textBytes);
        const found = unpackStretch(layout, bytes.subarray(0, head), bytes.subarray(head));
        expect(found.problems).toEqual(problems);
        expect(found.records.map(recordJson)).toEqual(records.map(recordJson));
        const places = records.map(({ line, row, ordinal, key, bytes }) => ({
          line,
          row,
          ordinal,
          key,
          bytes,
        }));
        expect(found.records).toMatchObject(places);
        expect(found.records).toHaveLength(places.length);
      }),
    );
  });
});
