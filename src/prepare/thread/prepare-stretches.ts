import type { PreparedRecord } from "../../model/record.ts";
import type { RowProblem } from "../../model/row.ts";
import type { ReadOptions } from "../../read/read-options.ts";
import { csvLayout, openContent } from "../../read/read-rows.ts";
import { prepareRecords } from "../prepare-records.ts";
import { streamRecords, type RowCount, type StreamOnward, type StreamSettings } from "../stream-records.ts";
import type { SurveyedInput } from "../../survey/survey-input.ts";
import { packStretch, type Allocate, type Packed } from "./pack-records.ts";
import { isPlainInput, PlainPass } from "./plain-pass.ts";
import type { CountedRows } from "./prepare-job.ts";

/** Takes the next stretch, packed into the buffer that `allocate` gives; resolves when there is room for another. */
export type PutStretch = (pack: (allocate: Allocate) => Packed, counted: CountedRows) => Promise<void>;

type PreparedInput = Pick<SurveyedInput, "source" | "inspection" | "plan">;

/**
 * Makes the records of an input, stretch by stretch in file order: what is plain from bytes to bytes, the rest as
 * `prepareRecords` does, or `streamRecords` where there is a `stream`. Throws what they throw. `content` is a parameter for
 * tests only.
 */
export async function prepareStretches(
  input: PreparedInput,
  read: ReadOptions,
  stream: StreamSettings | undefined,
  put: PutStretch,
  content = openContent(input.source, input.inspection),
): Promise<void> {
  let problems: RowProblem[] = [];
  let counted = { read: 0, skipped: 0, rejected: 0 };
  const reject = (problem: RowProblem): void => void problems.push(problem);
  const count: RowCount = {
    addRead: (rows) => void (counted.read += rows),
    move: (outcome, rows) => void (counted[outcome] += rows),
  };

  async function putRecords(records: readonly PreparedRecord[]): Promise<void> {
    const stretch = { records, problems };
    const rows = counted;
    problems = [];
    counted = { read: 0, skipped: 0, rejected: 0 };
    await put((allocate) => packStretch(stretch, allocate), rows);
  }

  const onward = await preparePlain(input, read, stream, put, content);
  const chunks =
    stream === undefined
      ? prepareRecords(input, read, reject, onward)
      : streamRecords(input, stream, count, reject, onward);
  try {
    for await (const records of chunks) await putRecords(records);
  } finally {
    // What came up before it failed.
    await putRecords([]);
  }
}

/** Prepares the rows up to where the ordinary way goes on. */
async function preparePlain(
  { inspection, plan }: PreparedInput,
  read: ReadOptions,
  stream: StreamSettings | undefined,
  put: PutStretch,
  content: AsyncIterable<Buffer>,
): Promise<StreamOnward | undefined> {
  const layout = csvLayout(inspection, read);
  if (layout === undefined || !isPlainInput(plan, layout)) return undefined;
  const settings = { isOnlyPass: stream !== undefined, stopsAtInvalid: stream?.onInvalid === "stop" };
  const pass = new PlainPass(plan, layout, settings);
  const chunks = content[Symbol.asyncIterator]();
  for (let goesOn = true; goesOn;) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    goesOn = pass.take(value);
    await put((allocate) => pass.pack(allocate), pass.takeCounted());
  }
  return { content: following(pass.rest, chunks), line: pass.line, counts: pass.counts, filled: pass.filled };
}

async function* following(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => chunks };
}
