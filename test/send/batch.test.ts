import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Batch, type PreparedRecord, recordJson, type RecordList } from "../../src/model/settlement.ts";
import { batchRecords } from "../../src/send/batch.ts";
import { buildBody } from "../../src/send/service.ts";
import { draws } from "../support/draws.ts";
import { shownRecord, toRecord, toRecords } from "../support/to-record.ts";
import { create, inChunks, update, updates } from "./support/records.ts";

const ARRAY = { before: "[", after: "]" };
const WIDE = { maxRecords: 500, maxBytes: 1024 * 1024, envelopeBytes: 2 };

async function cut(records: readonly PreparedRecord[], limits = WIDE, chunkSize?: number): Promise<Batch[]> {
  const batches: Batch[] = [];
  for await (const batch of batchRecords(inChunks(records, chunkSize), limits)) batches.push(batch);
  return batches;
}

function lines(batches: readonly Batch[]): number[][] {
  return batches.map(({ records }) => records.map(({ line }) => line));
}

describe("batchRecords", () => {
  it("keeps updates and creates apart, each in file order, and numbers the batches", async () => {
    const batches = await cut([update(2), create(3), update(4), create(5)]);
    expect(batches.map(({ number, kind }) => [number, kind])).toEqual([
      [1, "update"],
      [2, "create"],
    ]);
    expect(lines(batches)).toEqual([
      [2, 4],
      [3, 5],
    ]);
  });

  it("sends full batches of updates before the input ends", async () => {
    let read = 0;
    async function* source(): AsyncGenerator<RecordList> {
      for (const record of updates(6)) {
        read += 1;
        yield toRecords([record]);
      }
    }
    const batches = batchRecords(source(), { ...WIDE, maxRecords: 2 });
    await batches.next();
    expect(read).toBe(2);
  });

  it("counts brackets, commas and the bytes of UTF-8", async () => {
    const records = [create(2, "é"), create(3, "é"), create(4, "é")];
    const two = buildBody(toRecords(records.slice(0, 2)), ARRAY).length;
    expect(lines(await cut(records, { ...WIDE, maxBytes: two }))).toEqual([[2, 3], [4]]);
    expect(lines(await cut(records, { ...WIDE, maxBytes: two - 1 }))).toEqual([[2], [3], [4]]);
  });

  it("fills batches although a key repeats", async () => {
    const records = Array.from({ length: 40 }, (_, i) => update(i + 2, i % 10 === 9 ? "same" : `C${i}`));
    const batches = await cut(records, { ...WIDE, maxRecords: 10 });
    expect(batches.map((batch) => batch.records.length)).toEqual([10, 10, 10, 10]);
    expect(lines(batches).flatMap((of) => of.filter((line) => (line - 2) % 10 === 9))).toEqual([
      11, 21, 31, 41,
    ]);
  });

  const anyRecords = fc
    .array(
      fc.record({
        key: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined, freq: 6 }),
        text: fc.string({ maxLength: 12, unit: "grapheme" }),
      }),
      { maxLength: 80 },
    )
    .map((rows) =>
      rows.map(({ key, text }, i) =>
        key === undefined ? create(i + 2, text) : update(i + 2, `K${key}`, text),
      ),
    );

  it("gives every record once, a key once a batch, rows of a key in order, and keeps the limits", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRecords,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 20, max: 400 }),
        fc.integer({ min: 1, max: 20 }),
        async (records, maxRecords, maxBytes, chunkSize) => {
          const batches = await cut(records, { maxRecords, maxBytes, envelopeBytes: 2 }, chunkSize);
          const sent = batches.flatMap((batch) => [...batch.records]);
          const inOrder = sent.toSorted((a, b) => a.line - b.line);
          expect(inOrder.map(shownRecord)).toEqual(records.map(shownRecord));
          for (const { kind, records: held } of batches) {
            expect(held.map(({ line }) => line)).toEqual(held.map(({ line }) => line).sort((a, b) => a - b));
            expect(held.filter(({ key }) => (key === undefined) !== (kind === "create"))).toHaveLength(0);
            const keys = held.map(({ key }) => key).filter((key) => key !== undefined);
            expect(new Set(keys).size).toBe(keys.length);
            expect(held.length).toBeLessThanOrEqual(maxRecords);
            expect(held.length === 1 || buildBody(held, ARRAY).length <= maxBytes).toBe(true);
          }
          for (const key of new Set(sent.map((record) => record.key))) {
            const ofKey = sent.filter((record) => record.key === key).map(({ line }) => line);
            expect(ofKey).toEqual([...ofKey].sort((a, b) => a - b));
          }
          expect(batches.map(({ number }) => number)).toEqual(batches.map((_, i) => i + 1));
        },
      ),
      draws(80),
    );
  });

  it("holds no more records than its open batches, however long the input", async () => {
    let held = 0;
    let mostHeld = 0;
    async function* source(): AsyncGenerator<RecordList> {
      for (let line = 2; line < 20_000; line += 1) {
        held += 1;
        mostHeld = Math.max(mostHeld, held);
        yield toRecords([
          line % 20 === 0 ? create(line) : update(line, `K${line % 7 === 0 ? "same" : line}`),
        ]);
      }
    }
    for await (const { records } of batchRecords(source(), { ...WIDE, maxRecords: 10 }))
      held -= records.length;
    expect(held).toBe(0);
    expect(mostHeld).toBeLessThanOrEqual(10 * 8 + 10 + 2);
  });
});

const value = fc.oneof(fc.string(), fc.string({ unit: "binary" }));

/** The records of a chunk, which share its text. */
function inOneText(jsons: readonly string[], text: Buffer = Buffer.from(jsons.join(","))): PreparedRecord[] {
  let start = 0;
  return jsons.map((json) => {
    const bytes = Buffer.byteLength(json);
    const place = { line: 2, rowStart: 0, rowEnd: 1 };
    const record = toRecord({ ...place, key: undefined, ordinal: 0, text, start, bytes });
    start += bytes + 1;
    return record;
  });
}

describe("the body of a request", () => {
  it("is the array of its records, whatever stretches they come from and whichever are left out", () => {
    const stretches = fc.array(fc.array(value, { maxLength: 6 }), { maxLength: 6 });
    const envelope = fc.constantFrom(
      { before: "[", after: "]" },
      { before: '{"database_version":"é","data":[', after: "]}" },
    );
    fc.assert(
      fc.property(stretches, envelope, fc.infiniteStream(fc.boolean()), (texts, around, isLeftOut) => {
        const all = texts.flatMap((values) => {
          const jsons = values.map((text) => JSON.stringify({ a: text.toWellFormed() }));
          const records = inOneText(jsons);
          expect(records.map(recordJson)).toEqual(jsons);
          return records;
        });
        const kept = all.filter(() => isLeftOut.next().value !== true);
        const { before, after } = around;
        const expected = before + kept.map(recordJson).join(",") + after;
        expect(buildBody(toRecords(kept), around).toString()).toBe(expected);
      }),
    );
  });

  it("takes records from the text that each is in, though one begins where another would go on", () => {
    const [first] = inOneText(['{"a":"1"}', '{"a":"2"}']);
    const [, second] = inOneText(['{"a":"3"}', '{"a":"4"}']);
    const body = buildBody(toRecords([first!, second!]), { before: "[", after: "]" });
    expect(body.toString()).toBe('[{"a":"1"},{"a":"4"}]');
  });
});
