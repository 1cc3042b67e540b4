import { vi } from "vitest";
import { inspectSource } from "../../src/read/inspect-source.ts";
import { AmountEvidence } from "../../src/fields/amount/amount-evidence.ts";
import { COMMA, DOT } from "../../src/fields/amount/amount.ts";
import type { FieldOptions } from "../../src/fields/field-options.ts";
import { type FoundOdd, OddRows } from "../../src/fields/odd/odd-rows.ts";
import type { FieldPlan } from "../../src/fields/record/field-plan.ts";
import { FieldSurvey, type KeyListener, MAX_KEPT_PROBLEMS } from "../../src/fields/survey/field-survey.ts";
import { RecPushError } from "../../src/model/failure.ts";
import type { RowChunk, RowProblem } from "../../src/model/rows.ts";
import { recordJson } from "../../src/model/settlement.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { readRows } from "../../src/read/read-rows.ts";
import { sourceOf } from "../read/chunks.ts";
import { makeRecords, recordsMaker } from "../support/make-records.ts";

/** The columns of the tables. */
export const NAMES = "cle num_commande date_billed actual_billable_amount libelle note quantite".split(" ");
/** How they are read from CSV. */
export const CSV: ReadOptions = { delimiter: ";", quote: '"', headerLine: 1, encoding: "utf-8" };
export const TYPES = ["libelle", "note", "quantite"].map((name) => [name, { kind: "text" }] as const);

/** JSON of a record; the values of the `bare` columns are numbers, true or false if they can be. */
export function recordText(record: Readonly<Record<string, string>>, bare: readonly string[]): string {
  const members = Object.entries(record).map(([name, text]) => {
    const number = text.replaceAll(" ", "").replace(",", ".");
    const isBare =
      bare.includes(name) && /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|null|\[1\])$/.test(number);
    return `${JSON.stringify(name)}:${isBare ? number : JSON.stringify(text)}`;
  });
  return `{${members.join(",")}}`;
}

/** All that a survey tells, the rows that are odd, and the records. */
export async function surveyed(
  text: string,
  read: ReadOptions,
  options: FieldOptions,
  size: number,
  isCareful: boolean,
) {
  const source = sourceOf(text, size);
  const inspection = await inspectSource(source, read);
  const keys: unknown[] = [];
  const notes = vi.spyOn(OddRows.prototype, "note");
  const noted = (): unknown => notes.mock.calls.map(([{ start }]) => start);
  const evidence = vi.spyOn(AmountEvidence.prototype, "take");
  const sums = (): unknown =>
    [...new Set(evidence.mock.contexts as readonly AmountEvidence[])].map((one) => [
      one.marks,
      one.recordSum(COMMA),
      one.recordSum(DOT),
    ]);
  try {
    const chunks: RowChunk[] = [];
    for await (const chunk of readRows(source, inspection, read)) chunks.push(chunk);
    const surveyAll = (odd?: FoundOdd): FieldSurvey => {
      const listener: KeyListener = { add: (...key) => void keys.push(key) };
      const survey = new FieldSurvey(inspection.reading, options, listener, odd, isCareful);
      for (const chunk of chunks) survey.addChunk(chunk);
      return survey;
    };
    let survey = surveyAll();
    const odd = survey.oddRows();
    if (odd.size > 0) survey = surveyAll(odd);
    const { plan, ...told } = survey.finish();
    const made = madeOf(plan, chunks, isCareful);
    return {
      ...told,
      parts: plan.parts,
      suspects: plan.suspects,
      keys,
      made,
      creates: madeOf(plan, chunks, isCareful, true).flatMap(({ texts }) => texts.filter(isCreate)),
      judged: await judgedOf(plan, chunks),
      noted: noted(),
      odd: [...odd],
      sums: sums(),
    };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { code, message, hint } = error;
    return { code, message, hint, noted: noted() };
  } finally {
    for (const spy of [notes, evidence]) spy.mockRestore();
  }
}

/** What became of the rows when their records were made, as the survey counts and lists it. */
async function judgedOf(plan: FieldPlan, chunks: readonly RowChunk[]) {
  const { records, rejected, empty, problems } = makeRecords(plan, chunks);
  const updates = records.filter(({ key }) => key !== undefined).length;
  const made = { updates, creates: records.length - updates };
  const counts = { ...made, skipped: empty.length, invalid: rejected.length };
  return { counts, problems: problems.slice(0, MAX_KEPT_PROBLEMS).map(placeOf) };
}

/** Where a problem is, and the value; the survey alone knows the text of an odd row. */
export function placeOf({ line, column, field, value }: RowProblem): unknown {
  return [line, column, field, column === undefined ? undefined : value];
}

/** The records of each chunk, as line, start, key and text, and the rows that give none. */
function madeOf(plan: FieldPlan, chunks: readonly RowChunk[], isCareful: boolean, createsOnly = false) {
  const make = recordsMaker(plan, createsOnly, isCareful);
  return chunks.map((chunk) => {
    const { records, rejected, empty } = make(chunk);
    const texts = records.map((record) => [record.line, record.rowStart, record.key, recordJson(record)]);
    return { texts, rejected, empty };
  });
}

/** True for a create among those records. */
export function isCreate([, , key]: readonly unknown[]): boolean {
  return key === undefined;
}
