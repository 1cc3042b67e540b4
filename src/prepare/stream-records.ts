import type { FieldPlan } from "../fields/record/field-plan.ts";
import { FooterWatch, MOST_FOOTER_ROWS } from "../fields/survey/footer-watch.ts";
import { judgeFooter } from "../fields/survey/judge-footer.ts";
import { compileRecords } from "../fields/record/record-builder.ts";
import { RecPushError } from "../model/failure.ts";
import type { PreparedRecord } from "../model/record.ts";
import type { RowChunk, RowProblem } from "../model/row.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows } from "../read/read-rows.ts";
import type { PassOnward } from "./prepare-records.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { Tally } from "../run/tally.ts";

/** How rows are judged that nobody surveyed. Plain data. */
export interface StreamSettings {
  readonly read: ReadOptions;
  readonly onInvalid: "stop" | "skip";
  readonly keepsFooter: boolean;
}

/** Where the only pass goes on. */
export interface StreamOnward extends PassOnward {
  /** The columns that no row before leaves blank; `undefined` without any row. */
  readonly filled: readonly number[] | undefined;
}

/** Hears of rows as they are read. */
export type RowCount = Pick<Tally, "addRead" | "move">;

/**
 * The only pass with `--no-survey`: counts the rows as it reads them. Invalid rows are handed to `onReject`; with
 * `stop` the first of them ends it with an input error, behind which nothing is read or counted.
 */
export async function* streamRecords(
  { source, inspection, plan }: Pick<SurveyedInput, "source" | "inspection" | "plan">,
  { read, onInvalid, keepsFooter }: StreamSettings,
  tally: RowCount,
  onReject: (problem: RowProblem) => void,
  onward?: StreamOnward,
): AsyncGenerator<readonly PreparedRecord[]> {
  const chunks = judgeLast(readRows(source, inspection, read, onward), plan, keepsFooter, onward);
  for await (const { chunk, compile } of chunks) {
    const { records, problems, rejected, skippedLines } = compile(chunk);
    const [first] = problems;
    if (first !== undefined && onInvalid === "stop") {
      const before = records.filter(({ line }) => line < first.line);
      const skipped = skippedLines.filter((line) => line < first.line).length;
      tally.addRead(before.length + skipped + 1);
      tally.move("skipped", skipped);
      tally.move("rejected", 1);
      problems.filter(({ line }) => line === first.line).forEach(onReject);
      if (before.length > 0) yield before;
      throw invalidRow(source.name, first.line);
    }
    tally.addRead(chunk.rows.length + chunk.problems.length);
    tally.move("skipped", skippedLines.length);
    tally.move("rejected", rejected.length + chunk.problems.length);
    problems.forEach(onReject);
    yield records;
  }
}

/** A chunk, and what makes records of it. */
export interface JudgedChunk {
  readonly chunk: RowChunk;
  readonly compile: ReturnType<typeof compileRecords>;
}

/** Holds the last rows back until it is known whether they look like totals. */
export async function* judgeLast(
  chunks: AsyncIterable<RowChunk>,
  plan: FieldPlan,
  keepsFooter: boolean,
  onward?: StreamOnward,
): AsyncGenerator<JudgedChunk> {
  const counts = onward?.counts ?? { rows: 0, updates: 0, creates: 0 };
  const compile = compileRecords(plan, counts);
  const watch = new FooterWatch(onward?.filled);
  let held: RowChunk[] = [];
  for await (const chunk of chunks) {
    watch.add(chunk.rows, chunk.problems.at(-1)?.line);
    held.push(chunk);
    if (!keepsFooter && chunk.rows.length < MOST_FOOTER_ROWS) continue;
    const kept = keepsFooter ? [] : [chunk];
    for (const ready of held.slice(0, held.length - kept.length)) yield { chunk: ready, compile };
    held = kept;
  }
  const footer = keepsFooter ? undefined : judgeFooter(watch, plan.headers);
  const compileLast = footer === undefined ? compile : compileRecords({ ...plan, footer }, counts);
  for (const chunk of held) yield { chunk, compile: compileLast };
}

function invalidRow(file: string, line: number): RecPushError {
  return new RecPushError(
    "input",
    "invalid-row",
    `${file}:${line}: an invalid row stopped the run; the rows behind it were not read and are not counted`,
    {
      hint: "--on-invalid skip leaves such rows out; without --no-survey they are found before anything is sent",
      place: { file, line },
    },
  );
}
