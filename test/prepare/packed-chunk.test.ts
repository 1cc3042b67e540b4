import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordJson } from "../../src/model/settlement.ts";
import { RecordPacker, unpackChunk } from "../../src/prepare/packed-chunk.ts";

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\ud800", "é", "€", "x".repeat(600), '","cle":"', '"cle":"'),
);
const row = fc.record({
  line: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  start: fc.integer({ min: 0, max: 2 ** 50 }),
  size: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  key: fc.option(text, { nil: undefined }),
  value: text,
});
const rejected = fc.record({ line: fc.nat(), start: fc.nat(), end: fc.nat(), reason: text, value: text });
const empty = fc.record({ line: fc.nat(), start: fc.nat() });

describe("a packed chunk", () => {
  it("holds the records and the other rows that were put into it", () => {
    const packer = new RecordPacker();
    fc.assert(
      fc.property(fc.array(row), fc.array(rejected), fc.array(empty), (rows, wrong, empty) => {
        const keys = rows.map(({ key }) => key);
        const jsons = rows.map(({ value }, at) => JSON.stringify({ a: value, cle: keys[at], b: value }));
        for (const [at, { line, start, size }] of rows.entries()) {
          packer.reserve(Buffer.byteLength(jsons[at]!));
          const end = packer.at + packer.text.write(jsons[at]!, packer.at);
          packer.add({ line, start, end: start + size }, end, keys[at]);
        }
        const rejected = wrong.map(({ line, start, end, ...problem }) => ({
          line,
          start,
          end,
          problems: [{ line, ...problem }],
          key: problem.value,
        }));
        const others = { rejected, empty };
        const found = unpackChunk(packer.pack(others));
        expect({ rejected: found.rejected, empty: found.empty }).toEqual(others);
        expect(found.records.map(recordJson)).toEqual(jsons);
        expect(found.records.map(({ line, rowStart, rowEnd, key }) => [line, rowStart, rowEnd, key])).toEqual(
          rows.map(({ line, start, size }, at) => [line, start, start + size, keys[at] || undefined]),
        );
        // What follows each other in the file does so in a request.
        const { text } = [...found.records][0] ?? { text: Buffer.alloc(0) };
        expect(text.toString()).toBe(jsons.map((json) => `${json},`).join(""));
      }),
    );
  });
});
