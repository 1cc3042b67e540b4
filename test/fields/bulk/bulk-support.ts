import { vi } from "vitest";
import type { FieldOptions } from "../../../src/fields/field-options.ts";
import type { FieldPlan } from "../../../src/fields/record/field-plan.ts";
import { planWithoutSurvey } from "../../../src/fields/record/plan-without-survey.ts";
import { FieldSurvey } from "../../../src/fields/survey/field-survey.ts";
import { RowsSoFar } from "../../../src/fields/totals/rows-so-far.ts";
import { RecPushError } from "../../../src/model/failure.ts";
import { recordJson } from "../../../src/model/record.ts";
import type { RowChunk } from "../../../src/model/row.ts";
import { inspectSource } from "../../../src/read/inspect-source.ts";
import type { ReadOptions } from "../../../src/read/read-options.ts";
import { readRows } from "../../../src/read/read-rows.ts";
import { sourceOf } from "../../read/chunks.ts";
import { recordsMaker } from "../../support/make-records.ts";

/** The columns of the tables. */
export const NAMES = ["cle", "num_commande", "date_billed", "actual_billable_amount", "libelle", "note"];
/** How they are read from CSV. */
export const CSV: ReadOptions = { delimiter: ";", quote: '"', headerLine: 1, encoding: "utf-8" };
export const TYPES = [
  ["libelle", { kind: "text" }],
  ["note", { kind: "text" }],
] as const;

/** All that a survey tells, what the totals know of the rows then, and the records. */
export async function surveyed(
  text: string,
  read: ReadOptions,
  options: FieldOptions,
  size: number,
  bulkFrom: number,
) {
  const source = sourceOf(text, size);
  const inspection = await inspectSource(source, read);
  const keys: unknown[] = [];
  const notes = vi.spyOn(RowsSoFar.prototype, "note");
  const rowsSoFar = (): unknown => {
    const [rows] = notes.mock.contexts as readonly RowsSoFar[];
    return rows && { all: Object.entries(rows), full: rows.full };
  };
  try {
    const survey = new FieldSurvey(inspection.reading, options, (...key) => keys.push(key), bulkFrom);
    const chunks: RowChunk[] = [];
    for await (const chunk of readRows(source, inspection, read)) {
      survey.addChunk(chunk);
      chunks.push(chunk);
    }
    const { plan, ...told } = survey.finish();
    const made = madeOf(plan, chunks, bulkFrom);
    return {
      ...told,
      parts: plan.parts,
      suspects: [...(plan.suspects?.rows() ?? [])],
      keys,
      made,
      rows: rowsSoFar(),
    };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { code, message, hint } = error;
    return { code, message, hint, rows: rowsSoFar() };
  } finally {
    notes.mockRestore();
  }
}

/** The records of a table whose formats are pinned. */
export async function unsurveyed(text: string, read: ReadOptions, options: FieldOptions, bulkFrom: number) {
  const source = sourceOf(text, 0);
  const inspection = await inspectSource(source, read);
  const plan = planWithoutSurvey(inspection.reading, options);
  const chunks: RowChunk[] = [];
  for await (const chunk of readRows(source, inspection, read)) chunks.push(chunk);
  return madeOf(plan, chunks, bulkFrom);
}

function madeOf(plan: FieldPlan, chunks: readonly RowChunk[], bulkFrom: number) {
  const make = recordsMaker(plan, false, bulkFrom);
  return chunks.map((chunk) => {
    const { records, rejected, empty } = make(chunk);
    const texts = records.map((record) => [record.line, record.rowStart, record.key, recordJson(record)]);
    return { texts, rejected, empty };
  });
}
