import type { RecPushError } from "../model/failure.ts";
import type { Settled } from "../model/outcome.ts";
import type { PreparedRecord } from "../model/record.ts";
import type { RowProblem } from "../model/row.ts";
import type { SendSession } from "../send/send-session.ts";
import { describeRecordPlan } from "./journal/record-plan.ts";
import { interruption } from "./interruption.ts";
import { countRun } from "./journal/count-run.ts";
import { openRun, startOf } from "./keep-run.ts";
import { prepareRecords } from "./prepare-records.ts";
import { streamRecords } from "./stream-records.ts";
import { join } from "node:path";
import type { RunAccount } from "./journal/run-account.ts";
import { readJournal } from "./journal/read-journal.ts";
import { orFailure } from "./or-failure.ts";
import { settlementOf, type OutcomeLog } from "./outcome-log.ts";
import type { PushRequest } from "./push.ts";
import type { RejectsAccount } from "./rejects/rejects-account.ts";
import { describeRefusal } from "./rejects/rejection.ts";
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
  /** The runs that are open on the table, as far as this command has come. */
  readonly openRuns: Set<string>;
  readonly request: PushRequest;
  readonly tally: Tally;
  readonly control: RunControl;
  /** What became of the records, input by input. */
  readonly log: OutcomeLog;
  readonly rejects: RejectsAccount;
  readonly accounts: Map<number, RunAccount>;
  readonly leftOut: Set<number>;
}

/** Pushes one input in its run; gives what stopped it. */
export async function pushInput(
  input: SurveyedInput,
  at: number,
  pushing: Pushing,
): Promise<RecPushError | undefined> {
  const { request, tally, control, rejects } = pushing;
  const { keeping } = request;
  if (keeping === undefined) {
    await rejects.begin(at);
    const stopped = await sendInput(input, at, pushing);
    return orFailure(() => rejects.finish([at]), stopped);
  }
  const plan = describeRecordPlan(input, request);
  const start = await startOf(input, keeping, plan);
  const file = input.source.name;
  if (start.kind === "leftOut") {
    pushing.leftOut.add(at);
    tally.leaveOut(input.report.rows, input.report.invalid, start.earlier.exitCode);
    control.emit({ kind: "notice", file, notice: { text: leftOutText(file, start.earlier) } });
    return undefined;
  }
  const before = { read: tally.read, ...tally.counts };
  const run = await openRun(input, start, keeping, plan, pushing.openRuns);
  const touched = hasOpenOlder(run, pushing)
    ? await TouchedKeys.open(run.directory, keeping.target.url)
    : undefined;
  try {
    if (start.kind === "resume") {
      tally.restore(file, run.account, request.isStreamed !== true);
      control.emit({ kind: "resumed", file, run: run.name, settledRows: run.account.settled });
      await readOutcomes(run.directory, at, pushing.log);
      rejects.note(at, run.account.count("refused"));
    }
    pushing.accounts.set(at, run.account);
    tally.runs.push(run.name);
    await rejects.begin(at, run.directory);
    const sent = await sendInput(input, at, pushing, run, touched);
    run.account.letGo();
    const stopped = await orFailure(() => rejects.finish([at]), sent);
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
    return await orFailure(() => run.end({ exitCode, read: rows.read, counts, reason }), stopped);
  } finally {
    if (run.isOpen) pushing.openRuns.add(run.name);
    else pushing.openRuns.delete(run.name);
    await touched?.close();
    await run.close();
  }
}

/** True where an older run may be resumed after this one. Keys that failed in this command's own runs are held back. */
function hasOpenOlder({ account }: OpenRun, { openRuns, tally }: Pushing): boolean {
  return (account.facts?.olderRuns ?? []).some((run) => openRuns.has(run) && !tally.runs.includes(run));
}

/** Sends what is not settled yet. */
async function sendInput(
  input: SurveyedInput,
  at: number,
  { openSession, totalRows, request, tally, log, rejects, control: { drain, abort, emit } }: Pushing,
  run?: OpenRun,
  touched?: TouchedKeys,
): Promise<RecPushError | undefined> {
  if (totalRows !== undefined && tally.counts.notSent === 0) return undefined;
  const file = input.source.name;
  const reject = (problem: RowProblem): void => {
    if (request.isStreamed) rejects.note(at, 1);
    emit({ kind: "reject", file, problem });
  };
  const { read, onInvalid, fields } = request;
  const prepared = request.isStreamed
    ? streamRecords(input, { read, onInvalid, keepsFooter: fields.keepsFooter === true }, tally, reject)
    : prepareRecords(input, read, reject);
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
    log.add(at, settlementOf(settled));
    await log.settle();
    emit({ kind: "settled", file, settled });
    if (settled.outcome === "refused") {
      rejects.note(at, settled.records.length);
      refusals(settled).forEach(reject);
    }
    emit({ kind: "progress", settledRows: (totalRows ?? tally.read) - tally.counts.notSent, totalRows });
  }
  return next.value.failure;
}

/** What earlier processes of the run settled; updates that failed are to be sent again. */
async function readOutcomes(directory: string, input: number, log: OutcomeLog): Promise<void> {
  await readJournal(join(directory, "journal"), (entry) => {
    if (entry.entry === "outcome" && entry.outcome !== "failed") log.add(input, entry);
  });
  await log.settle();
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

function leftOutText(file: string, { run, startedAt, isAbandoned }: EarlierPush): string {
  const day = startedAt.slice(0, 16).replace("T", " ");
  const what = isAbandoned ? "was pushed in part" : "was already pushed";
  return `${file} ${what} on ${day} UTC (run ${run}) and is left out, so that no record is created twice; --again pushes it all the same`;
}

function refusals({ records, msg, status }: Settled): RowProblem[] {
  return records.map(({ line }) => ({
    line,
    reason: describeRefusal({ status, msg }),
  }));
}
