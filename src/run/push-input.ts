import { join } from "node:path";
import type { RecPushError } from "../model/failure.ts";
import { interruption } from "./interruption.ts";
import { countRun } from "../journal/count-run.ts";
import { readJournal } from "../journal/read-journal.ts";
import { describeRecordPlan } from "../journal/record-plan.ts";
import type { RunAccount } from "../journal/run-account.ts";
import { countSkipped, openRun, startOf } from "./keep-run.ts";
import { orFailure } from "./or-failure.ts";
import type { OutcomeLog } from "../finish/outcome-log.ts";
import { sendInput, type Sending } from "./send-input.ts";
import type { EarlierPush } from "../ledger/decide-start.ts";
import type { OpenRun } from "../journal/open-run.ts";
import { TouchedKeys } from "../journal/touched-keys.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { Tally } from "./tally.ts";

/** What the inputs of a push share. */
export interface Pushing extends Sending {
  /** The runs that are open on the table, as far as this command has come. */
  readonly openRuns: Set<string>;
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
  const tell = (text: string): void =>
    control.emit({ kind: "notice", file, notice: { text }, isAlwaysShown: true });
  if (start.kind === "leftOut") {
    pushing.leftOut.add(at);
    const { earlier } = start;
    tally.leaveOut(input.report.rows, input.report.invalid, earlier);
    tell(leftOutText(file, earlier));
    await rejects.recall(at, earlier.directory);
    return undefined;
  }
  if (start.kind === "new" && start.createdBy !== undefined)
    tell(updatesOnlyText(file, start.createdBy, input));
  const before = { read: tally.read, ...tally.counts };
  const run = await openRun(input, start, keeping, plan, pushing.openRuns, tell);
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
    const createdBy = run.account.facts?.createdBy;
    if (createdBy !== undefined && request.isStreamed !== true) tally.move("skipped", input.report.creates);
    pushing.accounts.set(at, run.account);
    tally.runs.push(run.name);
    await rejects.begin(at, run.directory);
    const sent = await sendInput(input, at, pushing, run, touched);
    run.account.letGo();
    const stopped = await orFailure(() => rejects.finish([at]), sent);
    const rows = rowsOf(input, before, tally, createdBy);
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

/** The rows of an input so far; without a survey they are those that came up since `before`. */
function rowsOf(
  { report }: SurveyedInput,
  before: { readonly read: number; readonly rejected: number; readonly skipped: number },
  { read, counts: { rejected, skipped } }: Tally,
  createdBy: string | undefined,
): Parameters<typeof countRun>[1] {
  if (report.isStreamed !== true) {
    return { read: report.rows, rejected: report.invalid, skipped: countSkipped(report, createdBy) };
  }
  return {
    read: read - before.read,
    rejected: rejected - before.rejected,
    skipped: skipped - before.skipped,
  };
}

/** What earlier processes of the run settled; updates that failed are to be sent again. */
async function readOutcomes(directory: string, input: number, log: OutcomeLog): Promise<void> {
  await readJournal(join(directory, "journal"), (entry) => {
    if (entry.entry === "outcome" && entry.outcome !== "failed") log.add(input, entry);
  });
  await log.settle();
}

function leftOutText(file: string, earlier: EarlierPush): string {
  return `${file} ${pushedText(earlier)}: it is left out, so that no record is created twice; --again pushes it all the same`;
}

function updatesOnlyText(file: string, earlier: EarlierPush, { report }: SurveyedInput): string {
  const creates = report.isStreamed === true ? "its creates are" : `its ${report.creates} creates are`;
  return `${file} ${pushedText(earlier)}: only its updates are sent, ${creates} left out, so that no record is created twice; --again sends them all the same`;
}

function pushedText({ run, startedAt, isAbandoned }: EarlierPush): string {
  const day = startedAt.slice(0, 16).replace("T", " ");
  return `${isAbandoned ? "was pushed in part" : "was already pushed"} on ${day} UTC (run ${run})`;
}
