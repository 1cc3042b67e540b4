import { describe, expect, it } from "vitest";
import type { FieldOptions } from "../../src/fields/field-options.ts";
import type { FieldPlan } from "../../src/fields/record/field-plan.ts";
import { FieldSurvey } from "../../src/fields/survey/field-survey.ts";
import type { Reading } from "../../src/model/reading.ts";
import { prepareRecords } from "../../src/prepare/prepare-records.ts";
import { fieldOptions } from "../fields/survey/survey-support.ts";
import { sourceOf } from "../read/chunks.ts";
import { inspectText } from "../read/inspect.ts";
import { MadeRows } from "../support/made-rows.ts";
import { recordsMaker } from "../support/make-records.ts";
import { HEADER, READ, readChunks } from "../support/odd-csv.ts";

const PINS = { dateFormat: "DD/MM/YYYY", decimal: "," } as const;

/** A plan whose formats are all pinned: no row has to be surveyed for it. */
function planOf(reading: Reading, options: FieldOptions): FieldPlan {
  return new FieldSurvey(reading, options, { add: () => {} }).finish().plan;
}

const TYPES = new Map([["libelle", { kind: "text" }]] as const);

describe("the records of a file", () => {
  it.each<[string, Partial<FieldOptions>]>([
    ["alone", {}],
    ["beside words for no value", { nulls: ["NULL"] }],
    ["sent empty", { empty: "send" }],
    ["with constants", { set: new Map([["source", "web"]]) }],
    ["of which only updates may come", { only: "updates" }],
  ])("need no text of the cells of an ordinary export: %s", async (_, options) => {
    const row = (at: number): string =>
      `K${at};${551_000 + at};05/07/2016;"1 437,50";${at % 5 === 0 ? "" : "été"}\r\n`;
    const text = `${HEADER}\r\n${Array.from({ length: 500 }, (_, at) => row(at)).join("")}`;
    const { reading } = await inspectText(text, READ);
    const make = recordsMaker(planOf(reading, fieldOptions({ pins: PINS, types: TYPES, ...options })));
    let made = 0;
    for (const chunk of await readChunks(text, 1000)) {
      const rows = Array.from(chunk.rows, ({ line, start, end, spans, firstCell, width }) => ({
        line,
        start,
        end,
        spans,
        firstCell,
        width,
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
