import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordJson } from "../../src/model/settlement.ts";
import { RecordPacker, unpackChunk } from "../../src/prepare/packed-chunk.ts";

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\ud800", "é", "€", "x".repeat(600)),
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
        const jsons = rows.map(({ value }) => JSON.stringify({ a: value.toWellFormed() }));
        const keys = rows.map(({ key }) => key?.toWellFormed());
        for (const [at, { line, start, size }] of rows.entries()) {
          packer.reserve(keys[at] === undefined ? "create" : "update", Buffer.byteLength(jsons[at]!));
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
          rows.map(({ line, start, size }, at) => [line, start, start + size, keys[at]]),
        );
        // Each batch of one kind is one stretch.
        for (const kind of ["update", "create"]) {
          const ofKind = [...found.records].filter((record) => record.kind === kind);
          const follows = ofKind
            .slice(1)
            .map(({ start }, at) => start - ofKind[at]!.start - ofKind[at]!.bytes);
          expect(new Set(follows)).toEqual(new Set(ofKind.length > 1 ? [1] : []));
        }
      }),
    );
  });
});
