import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldOptions } from "../../src/fields/field-options.ts";
import { RecPushError } from "../../src/model/failure.ts";
import { recordJson } from "../../src/model/settlement.ts";
import { prepareRecords } from "../../src/prepare/prepare-records.ts";
import { selectionOf, selectRecords } from "../../src/prepare/select.ts";
import { openContent } from "../../src/read/read-rows.ts";
import type { Source } from "../../src/read/source/source.ts";
import { dealRows, type DealtInput, shardOfKey } from "../../src/shards/deal-rows.ts";
import { readSettled, writeSettled } from "../../src/shards/shard-plan.ts";
import type { InputPart } from "../../src/survey/input-part.ts";
import { RepeatedKeys } from "../../src/survey/repeated-keys.ts";
import { type SurveyedInput, surveyInput } from "../../src/survey/survey-input.ts";
import { fieldOptions } from "../fields/survey/survey-support.ts";
import { cutBytesAt, sourceOf } from "../read/chunks.ts";
import { draws } from "../support/draws.ts";
import { HEADER, oddFile, READ, recordOptions } from "../support/odd-csv.ts";
import { makeDirectory } from "../support/temp-files.ts";

const PINS = { dateFormat: "DD/MM/YYYY", decimal: "," } as const;
const TYPES = new Map([["libelle", { kind: "text" }]] as const);

/** A file that can be read from any byte, and how many of its bytes were read. */
function openableSource(text: string, size: number): Source & { readonly read: { bytes: number } } {
  const bytes = Buffer.from(text);
  const read = { bytes: 0 };
  async function* counted(from: number): AsyncGenerator<Buffer> {
    for await (const piece of cutBytesAt(bytes.subarray(from), size)) {
      read.bytes += piece.length;
      yield piece;
    }
  }
  return { ...sourceOf(text, size), open: () => counted(0), openAt: counted, read };
}

/** The survey of a text; `undefined` if it cannot be read with certainty. */
async function survey(source: Source, options: Partial<FieldOptions>): Promise<SurveyedInput | undefined> {
  const types = new Map([...TYPES, ...(options.types ?? [])]);
  const fields = fieldOptions({ pins: PINS, totals: { isSkip: true, kept: new Set() }, ...options, types });
  try {
    return await surveyInput(source, READ, fields, new AbortController().signal, { emit: () => undefined });
  } catch (error) {
    if (error instanceof RecPushError) return undefined;
    throw error;
  }
}

async function deal(input: SurveyedInput, shards: number, keys?: RepeatedKeys): Promise<DealtInput> {
  return dealRows(input, { shards, read: READ, whyLeftOut: undefined, keys, stop: () => undefined });
}

/** The part of a shard, counted from 0. */
function partOf({ slices, isAlone }: DealtInput, shard: number, byKey: boolean): InputPart {
  const { from, to, line } = slices[shard]!;
  const holdsKey = byKey ? (key: string) => shardOfKey(key, slices.length) === shard : undefined;
  return { from, to, line, isAlone: isAlone && !byKey, holdsKey, whyLeftOut: () => undefined };
}

interface Rows {
  readonly records: readonly (readonly [
    start: number,
    line: number,
    key: string | undefined,
    json: string,
  ])[];
  readonly others: readonly (readonly [start: number, line: number, kind: string])[];
}

async function rowsOf(input: SurveyedInput): Promise<Rows> {
  const records: Rows["records"][number][] = [];
  const others: Rows["others"][number][] = [];
  const prepared = prepareRecords(input, { read: READ });
  for await (const chunk of selectRecords(prepared, selectionOf(input))) {
    for (const record of chunk.records)
      records.push([record.rowStart, record.line, record.key, recordJson(record)]);
    for (const { start, line } of chunk.rejected) others.push([start, line, "rejected"]);
    for (const { start, line } of chunk.empty) others.push([start, line, "empty"]);
  }
  return { records, others };
}

function joined(parts: readonly Rows[]): Rows {
  const byStart = (one: readonly [number, ...unknown[]], other: readonly [number, ...unknown[]]): number =>
    one[0] - other[0];
  return {
    records: parts.flatMap(({ records }) => records).toSorted(byStart),
    others: parts.flatMap(({ others }) => others).toSorted(byStart),
  };
}

describe("rows that are dealt", () => {
  it("are those of the whole file, each in one shard, and those of a key in one shard in their order", async () => {
    const directory = await makeDirectory();
    let dealtFiles = 0;
    let aloneFiles = 0;
    await fc.assert(
      fc.asyncProperty(
        oddFile,
        recordOptions,
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        fc.constantFrom(1, 7, 200, 0),
        async (text, options, shards, byKey, size) => {
          const source = openableSource(text, size);
          const input = await survey(source, options);
          if (input === undefined) return;
          dealtFiles += 1;
          const dealt = await deal(input, shards);
          if (dealt.isAlone) aloneFiles += 1;
          const path = join(directory, "survey");
          const sum = await writeSettled(path, input);
          const parts: Rows[] = [];
          for (const [shard, slice] of dealt.slices.entries()) {
            const part = partOf(dealt, shard, byKey);
            const restored = await readSettled(path, sum, source, slice, part);
            const rows = await rowsOf(restored);
            const updates = rows.records.filter(([, , key]) => key !== undefined).length;
            expect([rows.records.length - updates, updates]).toEqual([
              slice.creates,
              byKey ? slice.updatesByKey : slice.updates,
            ]);
            expect(rows.records.map(([start]) => start)).toEqual(
              rows.records.map(([start]) => start).toSorted((one, other) => one - other),
            );
            parts.push(rows);
          }
          expect(joined(parts)).toEqual(joined([await rowsOf(input)]));
          const shardsOf = new Map<string, Set<number>>();
          for (const [shard, { records }] of parts.entries()) {
            for (const [, , key = ""] of records)
              shardsOf.set(key, (shardsOf.get(key) ?? new Set<number>()).add(shard));
          }
          shardsOf.delete("");
          expect(byKey ? [...shardsOf.values()].filter(({ size }) => size > 1) : []).toEqual([]);
        },
      ),
      draws(80),
    );
    // Otherwise the property was not tested.
    expect(dealtFiles).toBeGreaterThan(20);
    expect(aloneFiles).toBeGreaterThan(10);
  });

  it("are found by reading little more than their slice, which is proven", async () => {
    const rows = Array.from(
      { length: 200_000 },
      (_, at) => `K${1_000_000 + at};${at};05/07/2016;1,5;été ${at}`,
    );
    const text = `\ufeff${[HEADER, ...rows].join("\r\n")}\r\n`;
    const source = openableSource(text, 65_536);
    const input = (await survey(source, {}))!;
    const dealt = await deal(input, 8);
    expect(dealt.isAlone).toBe(true);
    const sliceBytes = input.inspection.proof.totalBytes / 8;
    const parts: Rows[] = [];
    for (const shard of dealt.slices.keys()) {
      source.read.bytes = 0;
      parts.push(await rowsOf({ ...input, part: partOf(dealt, shard, false) }));
      // A block at either end, and the mark at the beginning of the file.
      expect(source.read.bytes).toBeLessThan(sliceBytes + 2 * 2 ** 20 + 2 * 65_536);
    }
    expect(parts.map(({ records }) => records.length)).toEqual(Array.from({ length: 8 }, () => 25_000));
    expect(joined(parts)).toEqual(joined([await rowsOf(input)]));
    const other = openableSource(text.replace("été 130000", "eté 130000 "), 65_536);
    const slice = dealt.slices[5]!;
    await expect(
      (async () => {
        for await (const _ of openContent(other, input.inspection, slice)) continue;
      })(),
    ).rejects.toMatchObject({ code: "source-changed" });
  });

  it("are the same from anywhere on, with invalid and empty rows and creates among them", async () => {
    const rowAt = (at: number): string => {
      if (at % 101 === 0) return ";;;;";
      return `${at % 31 === 0 ? "" : `K${100_000 + at}`};${at};05/07/2016;${at % 97 === 0 ? "x" : "1,5"};été`;
    };
    const text = [HEADER, ...Array.from({ length: 60_000 }, (_, at) => rowAt(at)), ""].join("\n");
    const input = (await survey(openableSource(text, 65_536), {}))!;
    const dealt = await deal(input, 5);
    expect(dealt.isAlone).toBe(true);
    expect(dealt.slices.map(({ rows }) => rows)).toEqual([12_000, 12_000, 12_000, 12_000, 12_000]);
    expect(
      Math.min(...dealt.slices.map(({ invalid, skipped, creates }) => Math.min(invalid, skipped, creates))),
    ).toBeGreaterThan(100);
    const parts = await Promise.all(
      dealt.slices.map((_, shard) => rowsOf({ ...input, part: partOf(dealt, shard, false) })),
    );
    expect(joined(parts)).toEqual(joined([await rowsOf(input)]));
  });

  it.each([
    ["distinct", (at: number) => at, false],
    ["repeated next to each other", (at: number) => at >> 1, false],
    ["repeated far from each other", (at: number) => at % 50, true],
  ])("tell whether keys that are %s have rows in several shards", async (_, keyOf, isExpected) => {
    const rows = Array.from({ length: 100 }, (_, at) => `K${1000 + keyOf(at)};${at};;;`);
    const input = (await survey(openableSource(`${[HEADER, ...rows].join("\n")}\n`, 0), {}))!;
    const keys = new RepeatedKeys(await makeDirectory());
    await deal(input, 5, keys);
    expect(await keys.haveSeveralStarts()).toBe(isExpected);
  });
});
