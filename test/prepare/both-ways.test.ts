import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspectSource } from "../../src/read/inspect-source.ts";
import type { FieldOptions } from "../../src/fields/field-options.ts";
import type { FieldPlan } from "../../src/fields/record/field-plan.ts";
import { FieldSurvey } from "../../src/fields/survey/field-survey.ts";
import { RecPushError } from "../../src/model/failure.ts";
import type { Reading } from "../../src/model/reading.ts";
import type { RowChunk } from "../../src/model/rows.ts";
import { recordJson } from "../../src/model/settlement.ts";
import type { PreparedChunk } from "../../src/prepare/packed-chunk.ts";
import { prepareRecords } from "../../src/prepare/prepare-records.ts";
import { readRows } from "../../src/read/read-rows.ts";
import { fieldOptions } from "../fields/survey/survey-support.ts";
import { sourceOf } from "../read/chunks.ts";
import { inspectText } from "../read/inspect.ts";
import { draws } from "../support/draws.ts";
import { MadeRows } from "../support/made-rows.ts";
import { recordsMaker, throughText } from "../support/make-records.ts";
import { HEADER, oddFile, READ, readChunks, recordOptions } from "../support/odd-csv.ts";

const PINS = { dateFormat: "DD/MM/YYYY", decimal: "," } as const;

function shown({ records, rejected, empty }: PreparedChunk): unknown {
  const lines = records.map((record) => {
    const { line, rowStart, rowEnd, key } = record;
    return [line, rowStart, rowEnd, key, recordJson(record)];
  });
  return { lines, rejected, empty };
}

function onlyCreates({ records }: PreparedChunk): readonly unknown[] {
  return records.filter(({ key }) => key === undefined).map((record) => [record.line, recordJson(record)]);
}

/** What a survey of the chunks tells, with the plan it makes. */
async function surveyed(reading: Reading, options: FieldOptions, chunks: AsyncIterable<RowChunk>) {
  const survey = new FieldSurvey(reading, options, { add: () => {} });
  try {
    for await (const chunk of chunks) survey.addChunk(chunk);
    const { plan, ...told } = survey.finish();
    return { told, plan };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    return { told: [error.code, error.message, error.hint] };
  }
}

/** A plan whose formats are all pinned: no row has to be surveyed for it. */
function planOf(reading: Reading, options: FieldOptions): FieldPlan {
  return new FieldSurvey(reading, options, { add: () => {} }).finish().plan;
}

async function* allThroughText(chunks: AsyncIterable<RowChunk>): AsyncGenerator<RowChunk> {
  for await (const chunk of chunks) yield throughText(chunk);
}

const TYPES = new Map([["libelle", { kind: "text" }]] as const);

describe("records made from bytes", () => {
  it("are those that are made through text", async () => {
    await fc.assert(
      fc.asyncProperty(
        oddFile,
        recordOptions,
        fc.constantFrom(1, 7, 40, 200, 0),
        async (text, options, size) => {
          const { reading } = await inspectText(text, READ);
          const types = new Map([...TYPES, ...(options.types ?? [])]);
          const plan = planOf(reading, fieldOptions({ pins: PINS, ...options, types }));
          const [fromBytes, fromText] = [recordsMaker(plan), recordsMaker(plan)];
          const creates = recordsMaker(plan, true);
          const oneByOne = recordsMaker(plan, false, true);
          for (const chunk of await readChunks(text, size)) {
            const made = fromBytes(chunk);
            expect(shown(made)).toEqual(shown(fromText(throughText(chunk))));
            expect(shown(oneByOne(chunk))).toEqual(shown(made));
            expect(onlyCreates(creates(chunk))).toEqual(onlyCreates(made));
          }
        },
      ),
      draws(800),
    );
  });

  it("are the same for JSON, with objects and arrays where values should be", async () => {
    const usual = ['"K1"', '"551035"', '"2016-07-05"', "12.50", '"été"', '"Paris"'];
    const odd = fc.constantFrom(
      "null",
      "true",
      "[]",
      "{}",
      "[1]",
      '{"a":"x"}',
      '[{"q":[]}]',
      "-1",
      '""',
      "7",
    );
    const values = fc
      .array(fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, odd), { minLength: 6, maxLength: 6 })
      .map((drawn) => usual.map((value, at) => drawn[at] ?? value));
    const names = ["cle", "num_commande", "date_billed", "actual_billable_amount"];
    const row = fc.tuple(values, fc.boolean());
    const write = ([values, isNested]: [readonly string[], boolean]): string => {
      const members = names.map((name, at) => `"${name}":${values[at]!}`);
      const text = `"libelle":${values[4]!}`;
      const client = isNested ? `"client":{${text},"ville":${values[5]!}}` : `"client":${values[5]!},${text}`;
      return `{${[...members, client].join(",")}}`;
    };
    let made = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 12 }),
        recordOptions,
        fc.constantFrom(undefined, [], ["client"]),
        fc.constantFrom(0, 300),
        async (rows, options, flatten, size) => {
          const how = { ...(flatten && { flatten }), declared: ["libelle"] };
          const source = sourceOf(`[${rows.map(write).join(",")}]`, size);
          const inspection = await inspectSource(source, how);
          const types = new Map([...TYPES, ...(options.types ?? [])]);
          const pass = (): AsyncIterable<RowChunk> => readRows(source, inspection, how);
          const given = fieldOptions({ pins: PINS, ...options, types, otherColumns: "drop" });
          const { told, plan } = await surveyed(inspection.reading, given, pass());
          const slow = await surveyed(inspection.reading, given, allThroughText(pass()));
          expect(told).toEqual(slow.told);
          if (plan === undefined) return;
          const makers = [recordsMaker(plan), recordsMaker(slow.plan!)] as const;
          for await (const chunk of pass()) {
            const { records } = makers[0](chunk);
            made += records.length;
            expect(shown(makers[0](chunk))).toEqual(shown(makers[1](throughText(chunk))));
          }
        },
      ),
      draws(120),
    );
    expect(made).toBeGreaterThan(60);
  });

  it.each<[string, Partial<FieldOptions>]>([
    ["alone", {}],
    ["beside words for no value", { nulls: ["NULL"] }],
    ["sent empty", { empty: "send" }],
    ["with constants", { set: new Map([["source", "web"]]) }],
    ["of which only updates may come", { only: "updates" }],
  ])("need no text of the cells of an ordinary export: %s", async (_, options) => {
    const rows = Array.from(
      { length: 500 },
      (_, at) => `K${at};${551_000 + at};05/07/2016;"1 437,50";${at % 5 === 0 ? "" : "été"}`,
    );
    const text = `${[HEADER, ...rows].join("\r\n")}\r\n`;
    const { reading } = await inspectText(text, READ);
    const types = new Map([...TYPES, ...(options.types ?? [])]);
    const make = recordsMaker(planOf(reading, fieldOptions({ pins: PINS, ...options, types })));
    let made = 0;
    for (const chunk of await readChunks(text, 1000)) {
      const rows = Array.from(chunk.rows, ({ line, start, end, spans, firstCell, width }) => ({
        line,
        start,
        end,
        spans: spans!,
        firstCell: firstCell!,
        width: width!,
        get cells(): never {
          throw new Error("a cell was made into text");
        },
      }));
      made += make({ ...chunk, rows: new MadeRows(rows) }).records.length;
    }
    expect(made).toBe(500);
  });

  it("have the positions of their rows in the content", async () => {
    const text = `\ufeff${HEADER}\r\nK1;1;;1,5;"a\r\nb"\r\n\r\nK2;2;31/02/2016;1;x\nune seule\n\nK3;3;;;été`;
    const inspection = await inspectText(text, READ);
    const plan = planOf(inspection.reading, fieldOptions({ pins: PINS, types: TYPES }));
    const input = { source: sourceOf(text), inspection, plan };
    const texts: string[] = [];
    const content = Buffer.from(text.slice(1));
    for await (const chunk of prepareRecords(input, { read: READ })) {
      for (const { rowStart, rowEnd } of chunk.records)
        texts.push(content.toString("utf8", rowStart, rowEnd));
      for (const { start, end } of chunk.rejected) texts.push(content.toString("utf8", start, end));
    }
    expect(texts).toEqual(['K1;1;;1,5;"a\r\nb"\r\n', "K2;2;31/02/2016;1;x\n", "une seule\n", "K3;3;;;été"]);
  });
});
