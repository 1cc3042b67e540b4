import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandJsonNumber } from "../../src/model/rows.ts";
import { type PreparedRecord, RecordList } from "../../src/model/settlement.ts";
import { RecordPacker, unpackChunk } from "../../src/prepare/packed-chunk.ts";
import { shownRecord } from "../support/to-record.ts";

describe("expandJsonNumber", () => {
  it.each([
    ["0", "0"],
    ["-0", "-0"],
    ["0.10", "0.10"],
    ["12345678901234567890", "12345678901234567890"],
    ["5.51035e5", "551035"],
    ["1e2", "100"],
    ["1E+2", "100"],
    ["1.50e1", "15.0"],
    ["1.5e0", "1.5"],
    ["5e-1", "0.5"],
    ["-12.5e-3", "-0.0125"],
    ["0e5", "0"],
    ["0.0e3", "0"],
    ["0.012e2", "1.2"],
    ["1e400", `1${"0".repeat(400)}`],
  ])("writes %s as %s", (source, expected) => {
    expect(expandJsonNumber(source)).toBe(expected);
  });

  it.each(["1e401", "1e-401", "1e99999999999", "", "abc", "1.", ".5", "+1", "0x10"])(
    "gives nothing for %j",
    (source) => {
      expect(expandJsonNumber(source)).toBeUndefined();
    },
  );

  it("keeps every digit wherever the point is moved", () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,20}$/);
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 60 }), (whole, zeros) => {
        expect(expandJsonNumber(`${whole}e${zeros}`)).toBe(whole + "0".repeat(zeros));
        const shifted = expandJsonNumber(`${whole}e-${zeros}`)!;
        expect(shifted.replace(".", "").replace(/^0+/, "")).toBe(whole);
        expect(shifted.split(".")[1]?.length ?? 0).toBe(zeros);
      }),
    );
  });
});

/** The records of some chunks: each a create where it is true, or else an update. */
const chunks = fc.array(fc.array(fc.boolean(), { maxLength: 8 }), { maxLength: 5 });

/** The list of all records of a chunk whose first row is in this line. */
function chunkOf(areCreates: readonly boolean[], firstLine: number): RecordList {
  const packer = new RecordPacker();
  for (const [index, isCreate] of areCreates.entries()) {
    const line = firstLine + index;
    const cle = isCreate ? undefined : `K${line}`;
    packer.reserve(100);
    const end = packer.at + packer.text.write(JSON.stringify({ a: String(line), cle }), packer.at);
    packer.add({ line, start: 10 * line, end: 10 * line + 9 }, end, cle);
  }
  return unpackChunk(packer.pack({ rejected: [], empty: [] })).records;
}

/** One list of the records of all chunks for which `isWanted`, and the same records as an array. */
function listOf(drawn: readonly (readonly boolean[])[], isWanted: (line: number) => boolean) {
  const list = new RecordList();
  const all: PreparedRecord[] = [];
  let line = 1;
  for (const areCreates of drawn) {
    const chunk = chunkOf(areCreates, line);
    line += areCreates.length;
    all.push(...[...chunk].filter((record) => isWanted(record.line)));
    for (const { of, from, to } of chunk.stretches)
      for (let index = from; index < to; index++) if (isWanted(of.line(index))) list.add(of, index);
  }
  return { list, all };
}

describe("a list of records", () => {
  it("is as an array of them would be", () => {
    fc.assert(
      fc.property(
        chunks,
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        fc.nat(20),
        fc.nat(20),
        (drawn, picks, one, other) => {
          const { list, all } = listOf(drawn, (line) => picks[line - 1] === true);
          const shown = all.map(shownRecord);
          const [from, to] = [Math.min(one, other), Math.max(one, other)];
          expect(list).toHaveLength(all.length);
          expect([...list].map(shownRecord)).toEqual(shown);
          expect(list.map(shownRecord)).toEqual(shown);
          expect(list.slice(from, to).map(shownRecord)).toEqual(shown.slice(from, to));
          expect(list.slice(from)).toHaveLength(Math.max(0, all.length - from));
          expect(list.filter(({ kind }) => kind === "create").map(shownRecord)).toEqual(
            all.filter(({ key }) => key === undefined).map(shownRecord),
          );
          for (const place of [0, from, -1, -to, all.length]) {
            const found = list.at(place);
            const expected = all.at(place);
            expect(found && shownRecord(found)).toEqual(expected && shownRecord(expected));
          }
          // No more stretches than are needed, none of them empty.
          let last: { of: unknown; to: number } | undefined;
          for (const stretch of list.stretches) {
            expect(stretch.to).toBeGreaterThan(stretch.from);
            expect(last?.of === stretch.of && last.to === stretch.from).toBe(false);
            last = stretch;
          }
        },
      ),
    );
  });
});
