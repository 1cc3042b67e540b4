import { compileRecords, type RowCounts } from "../fields/record/record-builder.ts";
import type { PreparedRecord } from "../model/record.ts";
import type { RowProblem } from "../model/row.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows, type Onward } from "../read/read-rows.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** Where a pass goes on: what is left to read, and what was counted before. */
export interface PassOnward extends Onward {
  readonly counts: RowCounts;
}

/**
 * The second pass: the rows that were surveyed, as records ready to send, chunk by chunk in file order, or those that
 * are left. Rows with a problem are handed to `onReject` and left out. Throws {@link RecPushError} where the source is no longer what was
 * surveyed.
 */
export async function* prepareRecords(
  input: Pick<SurveyedInput, "source" | "inspection" | "plan" | "repeated">,
  read: ReadOptions,
  onReject: (problem: RowProblem) => void,
  onward?: PassOnward,
): AsyncGenerator<readonly PreparedRecord[]> {
  const compile = compileRecords(input.plan, onward?.counts);
  let firstRow = onward?.counts.rows ?? 0;
  for await (const chunk of readRows(input.source, input.inspection, read, onward)) {
    const isLeftOut = await input.repeated?.areMarked(firstRow, chunk.rows.length);
    firstRow += chunk.rows.length;
    const { records, problems } = compile(chunk, isLeftOut);
    problems.forEach(onReject);
    yield records;
  }
}
