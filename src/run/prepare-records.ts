import { compileRecords } from "../fields/record-builder.ts";
import type { PreparedRecord } from "../model/record.ts";
import type { RowProblem } from "../model/row.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows } from "../read/read-rows.ts";
import type { SurveyedInput } from "./survey-input.ts";

/**
 * The second pass: the rows that were surveyed, as records ready to send, chunk by chunk in file order. Rows with a
 * problem are handed to `onReject` and left out. Throws {@link RecPushError} where the source is no longer what was
 * surveyed.
 */
export async function* prepareRecords(
  input: Pick<SurveyedInput, "source" | "inspection" | "plan" | "repeated">,
  read: ReadOptions,
  onReject: (problem: RowProblem) => void,
): AsyncGenerator<readonly PreparedRecord[]> {
  const compile = compileRecords(input.plan);
  let firstRow = 0;
  for await (const chunk of readRows(input.source, input.inspection, read)) {
    const isLeftOut = await input.repeated?.areMarked(firstRow, chunk.rows.length);
    firstRow += chunk.rows.length;
    const { records, problems } = compile(chunk, isLeftOut);
    problems.forEach(onReject);
    yield records;
  }
}
