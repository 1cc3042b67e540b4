import { RecPushError } from "../../model/failure.ts";
import type { PreparedRecord } from "../../model/record.ts";
import type { Row, RowChunk, RowProblem } from "../../model/row.ts";
import { RowExaminer, type GivenValues } from "./examine-row.ts";
import type { FieldPlan } from "./field-plan.ts";
import { placeRecords, type RecordPlace } from "./place-records.ts";
import { jsonString, jsonStringBody } from "./json-text.ts";

/** A row that was read and cannot be sent. */
interface RejectedRow {
  readonly row: Row;
  readonly problems: readonly RowProblem[];
  /** Where its key cell could be read, and holds one. */
  readonly key: string | undefined;
}

/** A stretch of rows, made into records. Each row is in one of `records`, `rejected` and `skippedLines`, in file order. */
export interface PreparedChunk {
  readonly records: PreparedRecord[];
  /** Of the rejected rows and of those that could not be read at all, by line. */
  readonly problems: RowProblem[];
  readonly rejected: RejectedRow[];
  /** Rows with nothing to send. */
  readonly skipped: number;
  readonly skippedLines: number[];
}

/** What one pass over an input has counted so far: it gives the rows and records their numbers. */
export interface RowCounts {
  rows: number;
  updates: number;
  creates: number;
}

/** Makes records of a chunk; rows whose mark is true are left out, and counted. */
export type CompiledRecords = (chunk: RowChunk, isLeftOut?: readonly boolean[]) => PreparedChunk;

/**
 * Compiles a plan into the function that makes records of rows, judged as the survey judged them; it takes the chunks of
 * one pass in file order. The function throws RecPushError where the columns are not those of the plan.
 */
export function compileRecords(
  plan: FieldPlan,
  counts: RowCounts = { rows: 0, updates: 0, creates: 0 },
): CompiledRecords {
  const examiner = new RowExaminer(plan.fields, plan.rules);
  const buildJson = compileJson(plan, examiner.given);
  const footerLine = Math.min(...(plan.footer?.keys() ?? []));
  const checkColumns = createColumnCheck(plan);
  return (chunk, isLeftOut) => {
    checkColumns(chunk.columns);
    const places: RecordPlace[] = [];
    const jsons: string[] = [];
    const problems: RowProblem[] = [...chunk.problems];
    const rejected: RejectedRow[] = [];
    const skippedLines: number[] = [];
    const firstRow = counts.rows;
    counts.rows += chunk.rows.length;
    for (let at = 0; at < chunk.rows.length; at++) {
      const row = chunk.rows[at]!;
      if (isLeftOut?.[at] === true) continue;
      const verdict = examiner.examine(row);
      if (verdict === "record" && row.line >= footerLine) {
        const problem = plan.footer!.get(row.line)!;
        rejected.push({ row, problems: [problem], key: undefined });
        problems.push(problem);
      } else if (verdict === "record") {
        const { key } = examiner;
        const ordinal = key === undefined ? counts.creates++ : counts.updates++;
        places.push({ line: row.line, key, row: firstRow + at, ordinal });
        jsons.push(buildJson());
      } else if (verdict === "skipped") {
        skippedLines.push(row.line);
      } else {
        rejected.push({ row, problems: verdict, key: examiner.key });
        problems.push(...verdict);
      }
    }
    if (chunk.problems.length > 0) problems.sort((left, right) => left.line - right.line);
    return {
      records: placeRecords(places, jsons),
      problems,
      rejected,
      skipped: skippedLines.length,
      skippedLines,
    };
  };
}

/** Makes the JSON text of the values last examined: members in column order, then constants, then defaults. */
export function compileJson(plan: FieldPlan, given: GivenValues): () => string {
  // Each takes along the quote that closes the member before it: fewer pieces are several times cheaper to join.
  const firsts = plan.fields.map(({ field }) => `{${jsonString(field)}:"`);
  const nexts = plan.fields.map(({ field }) => `",${jsonString(field)}:"`);
  const constants = [...plan.constants]
    .map(([field, value]) => `${jsonString(field)}:${jsonString(value)}`)
    .join(",");
  const fallbacks = plan.fields.flatMap(({ field, fallback }, slot) =>
    fallback === undefined ? [] : [{ slot, member: `,${jsonString(field)}:${jsonString(fallback)}` }],
  );
  return () => {
    const { count, slots, values } = given;
    let text = "";
    for (let at = 0; at < count; at++) {
      const slot = slots[at]!;
      text = text + (text === "" ? firsts[slot]! : nexts[slot]!) + jsonStringBody(values[at]!);
    }
    text = text === "" ? "{" : `${text}"`;
    if (constants !== "") text += text.length > 1 ? `,${constants}` : constants;
    let at = 0;
    for (const { slot, member } of fallbacks) {
      while (at < count && slots[at]! < slot) at++;
      if (at === count || slots[at] !== slot) text += member;
    }
    return `${text}}`;
  };
}

// JSON members appear while reading, so that a chunk may know fewer of them than the plan, and more than the one before.
function createColumnCheck({ file, headers }: FieldPlan): (columns: readonly string[]) => void {
  let last: readonly string[] | undefined;
  let checked = 0;
  return (columns) => {
    if (columns !== last) checked = 0;
    last = columns;
    for (; checked < columns.length; checked++) {
      if (columns[checked] !== headers[checked]) throw inputChanged(file);
    }
  };
}

function inputChanged(file: string): RecPushError {
  return new RecPushError(
    "input",
    "input-changed",
    `${file} changed while it was read: its columns are not those of the survey`,
    {
      hint: "run the command again when nothing writes to the file",
      place: { file },
    },
  );
}
