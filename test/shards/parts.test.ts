import { readFile, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FieldOptions } from "../../src/fields/field-options.ts";
import { RecPushError } from "../../src/model/failure.ts";
import { recordJson } from "../../src/model/settlement.ts";
import { stream } from "../../src/prepare/stream.ts";
import { openAsIs } from "../../src/read/source/open-source.ts";
import { openContent } from "../../src/read/read-rows.ts";
import { dealParts } from "../../src/shards/deal-parts.ts";
import { keepSurvey, openPart, type Shard } from "../../src/shards/open-shard.ts";
import { placesOf, type PlannedPart, type ShardPlan } from "../../src/shards/shard-plan.ts";
import { type SurveyedInput, surveyInput } from "../../src/survey/survey-input.ts";
import { fieldOptions } from "../fields/survey/survey-support.ts";
import { sourceOf } from "../read/chunks.ts";
import { draws } from "../support/draws.ts";
import { HEADER, oddFile, READ, recordOptions } from "../support/odd-csv.ts";
import { makeDirectory } from "../support/temp-files.ts";

const PINS = { dateFormat: "DD/MM/YYYY", decimal: "," } as const;
const TYPES = new Map([["libelle", { kind: "text" }]] as const);
const NEVER = new AbortController().signal;

/** The survey of a text; `undefined` if it cannot be read with certainty. */
async function survey(text: string, options: Partial<FieldOptions>): Promise<SurveyedInput | undefined> {
  const types = new Map([...TYPES, ...(options.types ?? [])]);
  const fields = fieldOptions({ pins: PINS, totals: { isSkip: true, kept: new Set() }, ...options, types });
  try {
    return await surveyInput(sourceOf(text, 0), READ, fields, NEVER, { emit: () => undefined });
  } catch (error) {
    if (error instanceof RecPushError) return undefined;
    throw error;
  }
}

const PLAN = "20260101-000000-abcdef";

function deal(input: SurveyedInput, directory: string, shards: number): Promise<readonly PlannedPart[]> {
  const dealing = { directory, shards, read: READ, whyLeftOut: undefined };
  return dealParts(input, 0, { ...dealing, stop: () => undefined });
}

/** One shard of a plan of one input. */
function shardOf(input: SurveyedInput, directory: string, parts: readonly PlannedPart[], at: number): Shard {
  const file = { survey: keepSurvey(input), mark: "", parts };
  const plan = { plan: PLAN, shards: parts.length, inputs: [file] } as unknown as ShardPlan;
  return { plan, directory, shard: at + 1 };
}

async function textOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const held: Buffer[] = [];
  for await (const piece of pieces) held.push(Buffer.from(piece));
  return Buffer.concat(held);
}

interface Rows {
  readonly records: readonly (readonly [line: number, key: string | undefined, json: string, row: string])[];
  readonly rejected: readonly (readonly [line: number, problems: string, row: string])[];
}

/** The rows of an input or of a part, with their text. */
async function rowsOf(input: SurveyedInput): Promise<Rows> {
  const text = await textOf(input.part?.rows() ?? openContent(input.source, input.inspection));
  const records: Rows["records"][number][] = [];
  const rejected: Rows["rejected"][number][] = [];
  for await (const chunk of stream(input, { read: READ })) {
    for (const record of chunk.records) {
      const { line, key, rowStart, rowEnd } = record;
      records.push([line, key, recordJson(record), text.toString("utf8", rowStart, rowEnd)]);
    }
    for (const { line, start, end, key, problems } of chunk.rejected)
      rejected.push([line, JSON.stringify([key, problems]), text.toString("utf8", start, end)]);
  }
  return { records, rejected };
}

const byLine = (one: readonly [number, ...unknown[]], other: readonly [number, ...unknown[]]): number =>
  one[0] - other[0];

describe("the parts of an input", () => {
  it("hold all of its records and rejected rows as they are, each once, and those of a key in one part in their order", async () => {
    const directory = await makeDirectory();
    let dealt = 0;
    await fc.assert(
      fc.asyncProperty(
        oddFile,
        recordOptions,
        fc.integer({ min: 1, max: 6 }),
        async (text, options, shards) => {
          const input = await survey(text, options);
          if (input === undefined) return;
          dealt += 1;
          const planned = await deal(input, directory, shards);
          const parts: Rows[] = [];
          const shardsOf = new Map<string, Set<number>>();
          for (const [at, part] of planned.entries()) {
            const source = await openAsIs(placesOf(directory).part(0, at + 1));
            const rows = await rowsOf(
              await openPart(source, 0, shardOf(input, directory, planned, at), NEVER),
            );
            await source.close();
            expect([rows.records.length, rows.rejected.length]).toEqual([
              part.updates + part.creates,
              part.invalid,
            ]);
            expect(rows.records).toEqual(rows.records.toSorted(byLine));
            for (const [, key = ""] of rows.records)
              shardsOf.set(key, (shardsOf.get(key) ?? new Set<number>()).add(at));
            parts.push(rows);
          }
          const whole = await rowsOf(input);
          expect(parts.flatMap(({ records }) => records).toSorted(byLine)).toEqual(whole.records);
          expect(parts.flatMap(({ rejected }) => rejected).toSorted(byLine)).toEqual(
            whole.rejected.toSorted(byLine),
          );
          const sum = (of: (part: PlannedPart) => number): number =>
            planned.reduce((all, one) => all + of(one), 0);
          const { rows, invalid } = input.report.counts;
          expect([sum((part) => part.rows), sum((part) => part.invalid)]).toEqual([rows, invalid]);
          shardsOf.delete("");
          expect([...shardsOf.values()].filter(({ size }) => size > 1)).toEqual([]);
        },
      ),
      draws(80),
    );
    // Otherwise the property was not tested.
    expect(dealt).toBeGreaterThan(20);
  });

  it("are refused wherever one of their bytes is another, also while they are sent", async () => {
    const directory = await makeDirectory();
    const rows = Array.from({ length: 60 }, (_, at) => `K${100 + at};${at};05/07/2016;1,5;n ${at}\n`);
    const input = (await survey(`${HEADER}\n${rows.join("")}`, {}))!;
    const planned = await deal(input, directory, 1);
    const shard = shardOf(input, directory, planned, 0);
    const path = placesOf(directory).part(0, 1);
    const whole = await readFile(path);
    const open = async (bytes: Buffer) => {
      await writeFile(path, bytes);
      const source = await openAsIs(path);
      onTestFinished(() => source.close());
      return openPart(source, 0, shard, NEVER);
    };
    for (let at = 0; at < whole.length; at += 211) {
      const other = Buffer.from(whole);
      other[at]! ^= 1;
      await expect(open(other)).rejects.toMatchObject({ code: "plan-damaged" });
    }
    await expect(open(whole.subarray(0, -1))).rejects.toMatchObject({ code: "plan-damaged" });
    const opened = await open(whole);
    const later = Buffer.from(whole);
    later[later.indexOf('"K1') + 2]! ^= 1;
    await writeFile(path, later);
    await expect(rowsOf(opened)).rejects.toMatchObject({ code: "source-changed" });
  });
});
