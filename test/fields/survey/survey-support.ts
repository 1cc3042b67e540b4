import { DEFAULT_FIELD_OPTIONS } from "../../support/field-options.ts";
import type { FieldOptions } from "../../../src/fields/field-options.ts";
import type { FieldSettlement } from "../../../src/fields/survey/field-survey.ts";
import { FieldSurvey } from "../../../src/fields/survey/field-survey.ts";
import { RecPushError } from "../../../src/model/failure.ts";
import type { Reading } from "../../../src/model/reading.ts";
import type { Cell, Row, RowChunk } from "../../../src/model/rows.ts";
import { recordJson } from "../../../src/model/settlement.ts";
import { madeRow, MadeRows } from "../../support/made-rows.ts";
import { type MadeRecords, makeRecords } from "../../support/make-records.ts";

const FRENCH = { delimiter: ";", quote: '"', escape: '"', comment: "" } as const;

/** The reading of a CSV with its header on line 1. */
export function csvReading(columns: readonly string[], headerless = false): Reading {
  const headerLine = headerless ? undefined : 1;
  return {
    file: "orders.csv",
    format: "csv",
    encoding: "utf-8",
    dialect: { ...FRENCH, headerLine, dataLine: headerless ? 1 : 2 },
    columns,
    headerless,
    fingerprint: "",
    notices: [],
    pins: [],
  };
}

/** The reading of a JSON array. */
export function jsonReading(): Reading {
  const { dialect: _, ...reading } = csvReading([]);
  return { ...reading, file: "orders.json", format: "json" };
}

/** These options, and the defaults of all others; undeclared columns are sent. */
export function fieldOptions(options: Partial<FieldOptions> = {}): FieldOptions {
  return { ...DEFAULT_FIELD_OPTIONS, otherColumns: "send", ...options };
}

/** Rows from line 2 on, in one chunk. */
export function chunkOf(
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  firstLine = 2,
): RowChunk {
  return {
    columns,
    rows: new MadeRows(rows.map((cells, at) => rowOf(firstLine + at, cells))),
    unreadable: [],
  };
}

/** A row in a line; each line has the same number of bytes. */
export function rowOf(line: number, cells: readonly Cell[]): Row {
  return madeRow({ line, start: line * LINE_BYTES, end: (line + 1) * LINE_BYTES }, cells);
}

const LINE_BYTES = 100;

/** Rows cut into chunks of a size. */
export function chunksOf(
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  size: number,
): RowChunk[] {
  const chunks: RowChunk[] = [];
  for (let at = 0; at < rows.length; at += size)
    chunks.push(chunkOf(columns, rows.slice(at, at + size), at + 2));
  return chunks;
}

/** Surveys chunks. */
export function survey(
  reading: Reading,
  chunks: readonly RowChunk[],
  options: Partial<FieldOptions> = {},
): FieldSettlement {
  const given = fieldOptions(options);
  let last = addAll(new FieldSurvey(reading, given), chunks);
  const odd = last.oddRows();
  if (odd.size > 0) last = addAll(new FieldSurvey(reading, given, undefined, odd), chunks);
  const otherTypes = last.otherTypes();
  if (otherTypes.size === 0) return last.finish();
  return addAll(new FieldSurvey(reading, { ...given, otherTypes }, undefined, odd), chunks).finish();
}

function addAll(fieldSurvey: FieldSurvey, chunks: readonly RowChunk[]): FieldSurvey {
  for (const chunk of chunks) fieldSurvey.addChunk(chunk);
  return fieldSurvey;
}

/** Surveys a CSV and makes its records. */
export async function pushCsv(
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  options: Partial<FieldOptions> = {},
): Promise<{ found: FieldSettlement; prepared: MadeRecords }> {
  const chunk = chunkOf(columns, rows);
  const found = survey(csvReading(columns), [chunk], options);
  return { found, prepared: makeRecords(found.plan, [chunk]) };
}

/** The JSON texts of the records of a CSV. */
export async function recordsOf(
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  options: Partial<FieldOptions> = {},
): Promise<string[]> {
  return (await pushCsv(columns, rows, options)).prepared.records.map(recordJson);
}

/** The RecPushError that a call throws. */
export function failureOf(call: () => unknown): RecPushError {
  try {
    call();
  } catch (error) {
    if (error instanceof RecPushError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
