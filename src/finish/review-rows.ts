import { compileRecords, type PreparedChunk } from "../fields/record/record-builder.ts";
import type { PreparedRecord } from "../model/record.ts";
import type { Row, RowChunk, RowProblem } from "../model/row.ts";
import { countLineEnds } from "../read/text/line-ends.ts";
import { readRows } from "../read/read-rows.ts";
import type { RunRequest } from "../run/run-inputs.ts";
import { judgeLast, type JudgedChunk } from "../prepare/stream-records.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** Where the text of a row stands: in physical lines, or for JSON in bytes of the decoded content. */
export type RowText =
  | { readonly firstLine: number; readonly lastLine: number }
  | { readonly start: number; readonly end: number };

/** A row and its verdict: it is a record, or has problems, or gives nothing to send. */
export interface ReviewedRow {
  readonly line: number;
  /** As it was read, or why it could not be. */
  readonly found: Row | RowProblem;
  readonly record?: PreparedRecord;
  /** At least one. */
  readonly problems?: readonly RowProblem[];
  /** Why there is nothing to send, where there is neither record nor problem. */
  readonly skipped?: "empty" | "repeated";
  /** The key, where there is one and it could be read. */
  readonly key: string | undefined;
}

/** What the review needs to know of a run. */
export type ReviewRequest = Pick<RunRequest, "read" | "onInvalid" | "fields" | "isStreamed">;

/**
 * Reads an input once more, judged as it was when it was sent: every row in file order. Where an invalid row stopped a
 * run without survey, nothing comes behind it.
 */
export async function* reviewRows(
  input: SurveyedInput,
  request: ReviewRequest,
): AsyncGenerator<readonly ReviewedRow[]> {
  const stopsAtProblem = request.isStreamed === true && request.onInvalid === "stop";
  let firstRow = 0;
  for await (const { chunk, compile } of judgedChunks(input, request)) {
    const isLeftOut = await input.repeated?.areMarked(firstRow, chunk.rows.length);
    const rows = inFileOrder(chunk, compile(chunk, isLeftOut), firstRow, isLeftOut);
    firstRow += chunk.rows.length;
    const stop = stopsAtProblem ? rows.findIndex(({ problems }) => problems !== undefined) : -1;
    yield stop === -1 ? rows : rows.slice(0, stop + 1);
    if (stop !== -1) return;
  }
}

async function* judgedChunks(
  { source, inspection, plan }: SurveyedInput,
  { read, fields: { keepsFooter = false }, isStreamed }: ReviewRequest,
): AsyncGenerator<JudgedChunk> {
  const chunks = readRows(source, inspection, read);
  if (isStreamed === true) return yield* judgeLast(chunks, plan, keepsFooter);
  const compile = compileRecords(plan);
  for await (const chunk of chunks) yield { chunk, compile };
}

function inFileOrder(
  chunk: RowChunk,
  { records, rejected }: PreparedChunk,
  firstRow: number,
  isLeftOut: readonly boolean[] | undefined,
): ReviewedRow[] {
  let nextRecord = 0;
  let nextRejected = 0;
  const reviewed = chunk.rows.map((row, at): ReviewedRow => {
    const place = { line: row.line, found: row };
    const record = records[nextRecord];
    if (record?.row === firstRow + at) {
      nextRecord += 1;
      return { ...place, record, key: record.key };
    }
    const refusal = rejected[nextRejected];
    if (refusal?.row !== row) {
      return { ...place, key: undefined, skipped: isLeftOut?.[at] === true ? "repeated" : "empty" };
    }
    nextRejected += 1;
    return { ...place, problems: refusal.problems, key: refusal.key };
  });
  if (chunk.problems.length === 0) return reviewed;
  const unreadable = chunk.problems.map((problem): ReviewedRow => {
    return { line: problem.line, found: problem, problems: [problem], key: undefined };
  });
  return [...reviewed, ...unreadable].sort((left, right) => beginningOf(left) - beginningOf(right));
}

/** Where the text of a row stands. */
export function textOf({ found }: ReviewedRow): RowText {
  const { line, start, end } = found;
  if (start !== undefined && end !== undefined) return { start, end };
  if ("cells" in found) return { firstLine: line, lastLine: line + countLineEnds(found.cells) };
  return { firstLine: found.firstLine ?? line, lastLine: found.lastLine ?? line };
}

function beginningOf({ found }: ReviewedRow): number {
  return found.start ?? ("firstLine" in found ? found.firstLine : undefined) ?? found.line;
}
