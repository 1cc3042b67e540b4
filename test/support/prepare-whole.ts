import { deepStrictEqual } from "node:assert";
import { inspectSource } from "../../src/read/inspect-source.ts";
import { createHeaderTest } from "../../src/fields/columns/other-columns.ts";
import type { FieldOptions } from "../../src/fields/field-options.ts";
import type { FieldPlan } from "../../src/fields/record/field-plan.ts";
import type { FieldSettlement } from "../../src/fields/survey/field-survey.ts";
import { RecPushError } from "../../src/model/failure.ts";
import type { RowChunk } from "../../src/model/rows.ts";
import { type PreparedRecord, recordJson } from "../../src/model/settlement.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { readRows } from "../../src/read/read-rows.ts";
import type { Source } from "../../src/read/source/source.ts";
import { surveyAll } from "../fields/survey/survey-support.ts";
import { makeRecords, recordsMaker } from "./make-records.ts";

/** The result of reading a source, or the RecPushError that refuses it; other errors are thrown on. */
type Outcome<T> =
  ({ readonly kind: "read" } & T) | { readonly kind: "refused"; readonly error: RecPushError };

/** The records that a push with `--on-invalid skip` would send. */
interface SentRecords {
  readonly found: FieldSettlement;
  readonly records: readonly PreparedRecord[];
  /** How many rows the source was read as, with the header that the fields make likely. */
  readonly rows: number;
  readonly skipped: number;
  readonly rejected: number;
}

/** Surveys a source and makes its records, as a push does; rows with problems are left out. */
export function prepareWhole(
  source: Source,
  fields: FieldOptions,
  options: ReadOptions = {},
): Promise<Outcome<SentRecords>> {
  return orRefused(async () => {
    const inspection = await inspectSource(source, { ...options, isKnownHeader: createHeaderTest(fields) });
    const chunks: RowChunk[] = [];
    for await (const chunk of readRows(source, inspection, options)) chunks.push(chunk);
    const found = surveyAll(inspection.reading, chunks, fields).survey.finish();
    const { records, empty, rejected } = makeRecords(found.plan, chunks);
    checkBothWays(found.plan, chunks);
    const rows = chunks.reduce((sum, chunk) => sum + chunk.rows.length, 0);
    return { found, records, rows, skipped: empty.length, rejected: rejected.length };
  });
}

/** Throws if the records differ from those that are made with care. */
function checkBothWays(plan: FieldPlan, chunks: readonly RowChunk[]): void {
  const [plain, careful] = [recordsMaker(plan), recordsMaker(plan, false, true)];
  for (const chunk of chunks) {
    const [made, withCare] = [plain(chunk), careful(chunk)];
    deepStrictEqual(
      { ...made, records: made.records.map(describeRecord) },
      { ...withCare, records: withCare.records.map(describeRecord) },
    );
  }
}

function describeRecord(record: PreparedRecord): unknown {
  const { line, rowStart, rowEnd, key } = record;
  return [line, rowStart, rowEnd, key, recordJson(record)];
}

async function orRefused<T>(read: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: "read", ...(await read()) };
  } catch (error) {
    const isForeseen = error instanceof RecPushError && (error.kind === "input" || error.kind === "usage");
    if (isForeseen) return { kind: "refused", error };
    throw error;
  }
}
