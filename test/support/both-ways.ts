import { readConstants } from "../../src/fields/record/constant-values.ts";
import { buildPlan, type FieldPlan } from "../../src/fields/record/field-plan.ts";
import { RecPushError } from "../../src/model/failure.ts";
import { recordJson, type PreparedRecord } from "../../src/model/record.ts";
import type { RowProblem } from "../../src/model/row.ts";
import type { Inspection } from "../../src/read/inspect-source.ts";
import type { Source } from "../../src/read/source/open-source.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { openContent } from "../../src/read/read-rows.ts";
import { headBytes, unpackStretch } from "../../src/prepare/thread/pack-records.ts";
import { prepareStretches } from "../../src/prepare/thread/prepare-stretches.ts";
import { prepareRecords } from "../../src/prepare/prepare-records.ts";
import { streamRecords, type StreamSettings } from "../../src/prepare/stream-records.ts";

/** An input that is known well enough to make records of it. */
export interface PlannedInput {
  readonly source: Source;
  readonly inspection: Inspection;
  readonly plan: FieldPlan;
}

/** All that a pass over an input gives. */
export interface PassResult {
  readonly records: readonly string[];
  readonly problems: readonly RowProblem[];
  /** Of the only pass. */
  readonly counted: { readonly read: number; readonly skipped: number; readonly rejected: number };
  readonly error: string | undefined;
}

/** Makes the records of an input through text, row by row. */
export function passThroughText(
  input: PlannedInput,
  read: ReadOptions,
  stream?: StreamSettings,
): Promise<PassResult> {
  return collect(async ({ addRecords, addProblem, counted }) => {
    const count = {
      addRead: (rows: number): void => void (counted.read += rows),
      move: (outcome: "skipped" | "rejected", rows: number): void => void (counted[outcome] += rows),
    };
    const chunks =
      stream === undefined
        ? prepareRecords(planAgain(input), read, addProblem)
        : streamRecords(planAgain(input), stream, count, addProblem);
    for await (const records of chunks) addRecords(records);
  });
}

/** Makes them as the thread beside the survey does: what is plain from bytes to bytes. */
export function passThroughBytes(
  input: PlannedInput,
  read: ReadOptions,
  stream?: StreamSettings,
  content = openContent(input.source, input.inspection),
): Promise<PassResult> {
  return collect(async ({ addRecords, addProblem, counted }) => {
    await prepareStretches(
      planAgain(input),
      read,
      stream,
      async (pack, rows) => {
        const { layout, bytes } = pack((size) => Buffer.allocUnsafeSlow(size));
        const { records, problems } = unpackStretch(layout, bytes, bytes.subarray(headBytes(layout)));
        addRecords(records);
        problems.forEach(addProblem);
        counted.read += rows.read;
        counted.skipped += rows.skipped;
        counted.rejected += rows.rejected;
      },
      content,
    );
  });
}

/** As the thread gets it: without what a pass before has seen, and without the rows that turned out to be totals. */
function planAgain(input: PlannedInput): PlannedInput {
  const { parts } = input.plan;
  return { ...input, plan: buildPlan(parts, readConstants(parts.options)) };
}

/** What differs between both ways; where an error ends them, one may have given more before it. */
export function compareWays(text: PassResult, bytes: PassResult): string | undefined {
  if (text.error !== bytes.error) return `errors: ${text.error} and ${bytes.error}`;
  if (text.error === undefined && JSON.stringify(text.counted) !== JSON.stringify(bytes.counted))
    return `counts: ${JSON.stringify(text.counted)} and ${JSON.stringify(bytes.counted)}`;
  const told = (problems: readonly RowProblem[]): string[] =>
    problems.map((problem) => JSON.stringify(problem));
  return (
    compareLists(text.records, bytes.records, text.error) ??
    compareLists(told(text.problems), told(bytes.problems), text.error)
  );
}

function compareLists(text: readonly string[], bytes: readonly string[], error?: string): string | undefined {
  if (error === undefined && text.length !== bytes.length) return `${text.length} and ${bytes.length}`;
  for (let at = 0; at < Math.min(text.length, bytes.length); at++)
    if (text[at] !== bytes[at]) return `${text[at]} and ${bytes[at]}`;
  return undefined;
}

interface Collector {
  readonly addRecords: (records: readonly PreparedRecord[]) => void;
  readonly addProblem: (problem: RowProblem) => void;
  readonly counted: { read: number; skipped: number; rejected: number };
}

async function collect(pass: (collector: Collector) => Promise<void>): Promise<PassResult> {
  const records: string[] = [];
  const problems: RowProblem[] = [];
  const counted = { read: 0, skipped: 0, rejected: 0 };
  let error: string | undefined;
  try {
    await pass({
      addRecords: (added) => {
        for (const record of added) {
          const { line, row, ordinal, key } = record;
          records.push(`${line} ${row} ${ordinal} ${JSON.stringify(key)} ${recordJson(record)}`);
        }
      },
      addProblem: (problem) => void problems.push(problem),
      counted,
    });
  } catch (thrown) {
    if (!(thrown instanceof RecPushError)) throw thrown;
    error = `${thrown.code} ${thrown.message}`;
  }
  return { records, problems, counted, error };
}
