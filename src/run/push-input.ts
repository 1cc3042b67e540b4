import { RecPushError } from "../model/failure.ts";
import type { Settled } from "../model/outcome.ts";
import type { PreparedRecord } from "../model/record.ts";
import type { RowProblem } from "../model/row.ts";
import type { SendSession } from "../send/send-session.ts";
import { describeRecordPlan } from "./journal/record-plan.ts";
import { interruption } from "./interruption.ts";
import { countRun, openRun, startOf } from "./keep-run.ts";
import { readyRecords } from "./worker/prepare-in-worker.ts";
import type { PushRequest } from "./push.ts";
import type { RunControl } from "./run-inputs.ts";
import type { EarlierPush } from "./state/decide-start.ts";
import { TouchedKeys } from "./state/touched-keys.ts";
import type { OpenRun } from "./state/open-run.ts";
import type { SurveyedInput } from "./survey-input.ts";
import type { Tally } from "./tally.ts";
import { withoutSettled } from "./without-settled.ts";

/** What the inputs of a push share. */
export interface Pushing {
  readonly openSession: () => Promise<SendSession>;
  readonly totalRows: number | undefined;
  /** The runs that were open on the table before. */
  readonly openRuns: readonly string[];
  readonly request: PushRequest;
  readonly tally: Tally;
  readonly control: RunControl;
}

/** Pushes one input in its run; gives what stopped it. */
export async function pushInput(input: SurveyedInput, pushing: Pushing): Promise<RecPushError | undefined> {
  const { request, tally, control } = pushing;
  const { keeping } = request;
  if (keeping === undefined) return sendInput(input, pushing);
  const plan = describeRecordPlan(input, request);
  const start = await startOf(input, keeping, plan);
  const file = input.source.name;
  if (start.kind === "leftOut") {
    tally.leaveOut(input.report.rows, input.report.invalid, start.earlier.exitCode);
    control.emit({ kind: "notice", file, notice: { text: leftOutText(file, start.earlier) } });
    return undefined;
  }
  const before = { read: tally.read, ...tally.counts };
  const run = await openRun(input, start, keeping, plan);
  const hasOlder = pushing.openRuns.some((other) => other < run.name);
  const touched = hasOlder ? await TouchedKeys.open(run.directory, keeping.target.url) : undefined;
  try {
    if (start.kind === "resume") {
      tally.restore(file, run.account, request.isStreamed !== true);
      control.emit({ kind: "resumed", file, run: run.name, settledRows: run.account.settled });
    }
    tally.runs.push(run.name);
    const stopped = await sendInput(input, pushing, run, touched);
    const { report } = input;
    const rows =
      report.isStreamed === true
        ? {
            read: tally.read - before.read,
            rejected: tally.counts.rejected - before.rejected,
            skipped: tally.counts.skipped - before.skipped,
          }
        : { read: report.rows, rejected: report.invalid, skipped: report.skipped + (report.superseded ?? 0) };
    const counts = countRun(run.account, rows);
    const failure = stopped ?? (control.drain.aborted && counts.notSent > 0 ? interruption() : undefined);
    const exitCode = keeping.exitCodeOf({ counts, failure });
    const reason = failure?.message.split("\n")[0] ?? "";
    return (await ended(() => run.end({ exitCode, read: rows.read, counts, reason }))) ?? stopped;
  } finally {
    await touched?.close();
    await run.close();
  }
}

/** Sends what is not settled yet. */
async function sendInput(
  input: SurveyedInput,
  { openSession, totalRows, request, tally, control: { drain, abort, emit } }: Pushing,
  run?: OpenRun,
  touched?: TouchedKeys,
): Promise<RecPushError | undefined> {
  if (totalRows !== undefined && tally.counts.notSent === 0) return undefined;
  const file = input.source.name;
  const reject = (problem: RowProblem): void => emit({ kind: "reject", file, problem });
  const { read, onInvalid, fields } = request;
  const stream = request.isStreamed
    ? { read, onInvalid, keepsFooter: fields.keepsFooter === true }
    : undefined;
  const prepared = readyRecords(input, { read, stream }, tally, reject);
  const unsettled = run === undefined ? prepared : withoutSettled(prepared, run.account, request, tally);
  const records = touched === undefined ? unsettled : noteKeys(unsettled, touched);
  const session = await openSession();
  const { isStreamed, repeatedKeys, repeatedKeysBounded } = input.report;
  const settling = session.send(records, {
    // What was counted may be too many by chance, never too few.
    hasDistinctKeys: isStreamed !== true && repeatedKeys === 0 && !repeatedKeysBounded,
    drain,
    abort,
    onWaiting: ({ forMs, why }) => emit({ kind: "waiting", forMs, why }),
    ...(run === undefined
      ? {}
      : {
          beforeCreate: (batch) => run.announce(batch),
          onSettled: (settled) => run.settle(settled),
          firstBatch: run.account.lastBatch + 1,
        }),
  });
  let next = await settling.next();
  for (; !next.done; next = await settling.next()) {
    const settled = next.value;
    tally.settle(file, settled);
    emit({ kind: "settled", file, settled });
    if (settled.outcome === "refused") refusals(settled).forEach(reject);
    emit({ kind: "progress", settledRows: (totalRows ?? tally.read) - tally.counts.notSent, totalRows });
  }
  return next.value.failure;
}

async function* noteKeys(
  chunks: AsyncIterable<readonly PreparedRecord[]>,
  touched: TouchedKeys,
): AsyncGenerator<readonly PreparedRecord[]> {
  for await (const chunk of chunks) {
    await touched.add(chunk.flatMap(({ key }) => (key === undefined ? [] : [key])));
    yield chunk;
  }
}

/** A journal that cannot be closed is a failure of its own, behind what stopped the run. */
async function ended(end: () => Promise<void>): Promise<RecPushError | undefined> {
  try {
    await end();
    return undefined;
  } catch (error) {
    if (error instanceof RecPushError) return error;
    throw error;
  }
}

function leftOutText(file: string, { run, startedAt, isAbandoned }: EarlierPush): string {
  const day = startedAt.slice(0, 16).replace("T", " ");
  const what = isAbandoned ? "was pushed in part" : "was already pushed";
  return `${file} ${what} on ${day} UTC (run ${run}) and is left out, so that no record is created twice; --again pushes it all the same`;
}

function refusals({ records, msg, status }: Settled): RowProblem[] {
  return records.map(({ line }) => ({
    line,
    reason: `the service refused it (${status ?? "no answer"}): ${msg}`,
  }));
}
