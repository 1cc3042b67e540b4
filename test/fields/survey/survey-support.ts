import { DEFAULT_FIELD_OPTIONS } from "../../support/field-options.ts";
import type { FieldOptions } from "../../../src/fields/field-options.ts";
import type { FoundOdd } from "../../../src/fields/odd/odd-rows.ts";
import type { FieldSettlement } from "../../../src/fields/survey/field-survey.ts";
import { FieldSurvey, type KeyListener } from "../../../src/fields/survey/field-survey.ts";
import { RecPushError } from "../../../src/model/failure.ts";
import type { Reading } from "../../../src/model/reading.ts";
import type { Cell, Row, RowChunk } from "../../../src/model/rows.ts";
import { recordJson } from "../../../src/model/settlement.ts";
import { madeRow, madeRows } from "../../support/made-rows.ts";
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
    rows: madeRows(rows.map((cells, at) => rowOf(firstLine + at, cells))),
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

/** Surveys chunks as a push does: again once it knows odd rows, and once values have settled the types of other columns. */
export function surveyAll(
  reading: Reading,
  chunks: readonly RowChunk[],
  given: FieldOptions,
  keys?: KeyListener,
  isCareful?: boolean,
): { readonly survey: FieldSurvey; readonly odd: FoundOdd } {
  const surveyWith = (options: FieldOptions, odd?: FoundOdd): FieldSurvey => {
    const survey = new FieldSurvey(reading, options, keys, odd, isCareful);
    for (const chunk of chunks) survey.addChunk(chunk);
    return survey;
  };
  let survey = surveyWith(given);
  const odd = survey.oddRows();
  if (odd.size > 0) survey = surveyWith(given, odd);
  const otherTypes = survey.otherTypes();
  if (otherTypes.size > 0) survey = surveyWith({ ...given, otherTypes }, odd);
  return { survey, odd };
}

/** What such a survey tells; undeclared columns are sent. */
export function survey(
  reading: Reading,
  chunks: readonly RowChunk[],
  options: Partial<FieldOptions> = {},
): FieldSettlement {
  return surveyAll(reading, chunks, fieldOptions(options)).survey.finish();
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
