import { Readable } from "node:stream";
import { findDoubtFile, removeDoubtFiles } from "../files/doubt-files.ts";
import { readKeptPlace } from "../files/kept-place.ts";
import { areSettledSince, findRowsToMend, lookAtInput } from "../files/rows-to-mend.ts";
import { refuseOtherContent, refuseOtherRecords } from "../ledger/decide-start.ts";
import { identityFields } from "../ledger/exports-rule.ts";
import type { DoubtFile } from "../model/counts.ts";
import { exitCode, type RejectsFile, type RunEnd } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import type { StreamOptions } from "../prepare/stream.ts";
import { closeFinished, findRun } from "../store/close-finished.ts";
import { type DoubtDecision, whyNothingIsDecided } from "../store/doubt-decision.ts";
import type { TableLock } from "../store/held-lock.ts";
import { OpenRun } from "../store/open-run.ts";
import { describeRecordPlan, type RunFacts } from "../store/run-facts.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { keptOf, type KeptRun, type StoredRun } from "../store/summarise-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { comparisonOf } from "./change-ledger.ts";
import { type RunControl, runInputs } from "./check.ts";
import { DuplicateCheck } from "./duplicate-check.ts";
import { type PushRequest, type RunKeeping, RunOutputs } from "./run-outputs.ts";
import { Tally, tallyRun } from "./tally-run.ts";

/**
 * Applies the user's decision to a run that has nothing left to send, and returns the state of the run after it.
 * `retell` brings its files up to date, after the decision and before the run is closed.
 */
export async function settleDoubt(
  keeping: Pick<RunKeeping, "state" | "lock">,
  name: string,
  decision: DoubtDecision | undefined,
  tell: (text: string) => void,
  retell: (kept: KeptRun, lock: TableLock) => Promise<RetoldRun> = async () => ({ doubtFiles: [] }),
): Promise<RunEnd> {
  // Read with the lock held, because another process may have continued it in the meantime.
  const kept = await findRun(keeping.state, name);
  const { stored } = kept;
  let retold: RetoldRun | undefined;
  const { shown } = kept.end.kept;
  if (decision !== undefined && shown.doubt !== decision.doubt)
    tell(whyNothingIsDecided(name, kept.end.kept, decision));
  else if (decision?.inDoubt === "resend") throw movedOn(name);
  else if (decision !== undefined && stored !== undefined) {
    const run = await OpenRun.resume(keeping, stored);
    const { account } = stored;
    try {
      await run.decide(decision);
      retold = await retell(keptOf(stored), keeping.lock);
      await removeDoubtFiles(stored, account.doubt);
      const code = exitCode({ counts: account.counts, failure: undefined, signal: undefined });
      await run.end(code);
    } finally {
      await run.close();
    }
  }
  const {
    doubtFiles,
    rejectsFiles: retoldRejects = [],
    notice,
  } = retold ?? (await retell(kept, keeping.lock));
  if (notice !== undefined) tell(notice);
  await closeFinished(keeping, name);
  // Only a closed run says which of its rows are to be mended.
  const rejectsFiles =
    retoldRejects.length > 0
      ? retoldRejects
      : await knownRejects(keeping.state, await findRun(keeping.state, name));
  const tally = tallyOf(kept);
  tally.runs.push(name);
  if (stored !== undefined) {
    const inputNow = await lookAtInput(stored);
    tally.noteDoubt({ run: name, file: stored.facts.file, inputNow }, stored.account, tally.counts);
  }
  const isSettledSince = rejectsFiles.length === 0 && (await areSettledSince(keeping.state, kept));
  return { ...tally.end([], undefined), doubtFiles, rejectsFiles, isSettledSince };
}

function tallyOf({ stored, end }: KeptRun): Tally {
  if (stored !== undefined) return tallyRun(stored.account);
  const tally = new Tally();
  tally.recall(end.kept.shown, end.kept.batches);
  return tally;
}

/** Another process has gone on with the run since this command looked at it. */
function movedOn(run: string): RecPushError {
  return new RecPushError(
    "run-in-use",
    `another command has gone on with the run ${run} in the meantime; nothing is decided`,
    { hint: "run the same command again" },
  );
}

/** The files of a run whose input was read again. */
export interface RetoldRun {
  readonly doubtFiles: readonly DoubtFile[];
  /** Rows that still have to be mended. */
  readonly rejectsFiles?: readonly RejectsFile[];
  /** Why they could not be brought up to date. */
  readonly notice?: string | undefined;
}

/** A run whose input is read again without sending anything. */
export interface Retelling {
  readonly request: PushRequest & { readonly keeping: RunKeeping };
  readonly control: Pick<RunControl, "drain" | "abort">;
}

/**
 * Reads the input of a run once more without sending anything: writes its results, if they are wanted, and the file of
 * the rows in doubt and its rejects, where a process was killed before it wrote them. The journal stays as it is. If the
 * input cannot be read, only these files are missing.
 */
export async function retellRun(stored: StoredRun, { request, control }: Retelling): Promise<RetoldRun> {
  const { run, directory, facts } = stored;
  const there = await findDoubtFile(stored);
  const isComplete = !(await lacksRejects(stored));
  const hasDoubtFile = there !== undefined || stored.account.doubt === undefined;
  let doubtFiles: readonly DoubtFile[] = there === undefined ? [] : [{ ...there, run }];
  let rejectsFiles: readonly RejectsFile[] = [];
  if (request.results === undefined && hasDoubtFile && isComplete) return { doubtFiles, rejectsFiles };
  const retelling = { request, control };
  const failure = await readAgain(facts, retelling, async (input, spoolDirectory, quiet) => {
    const books = new RunOutputs([input], request, quiet, new Tally(), spoolDirectory);
    const { files, ends } = books;
    try {
      await ends.takeUp(0, directory);
      ends.accounts.set(0, stored.account);
      ends.selections.set(0, await selectionOf(input, stored, request, spoolDirectory));
      if (!hasDoubtFile || !isComplete) {
        await files.takeUp(0, directory);
        await files.begin(0, directory);
      }
      if (!hasDoubtFile) {
        await files.writeDoubt(0, directory, stored.account);
        doubtFiles = files.doubtFiles;
      }
      if (!isComplete) {
        await files.finish(0);
        rejectsFiles = files.rejectsFiles;
      }
      return await books.finish(undefined);
    } finally {
      await books.remove();
    }
  });
  return { doubtFiles, rejectsFiles, notice: failure && describeFailure(failure, request) };
}

/** The rejects that a run wrote and that are still to be mended. */
async function knownRejects(state: StateDirectory, kept: KeptRun): Promise<readonly RejectsFile[]> {
  const found = await findRowsToMend(state, kept);
  return found?.isThere === true ? [{ file: kept.begun.file, ...found }] : [];
}

/**
 * Reads the input of a run once more, without sending or saying anything, and hands it to `finish`; returns the reason if
 * that fails: the input is gone, has changed, or is read differently.
 */
export async function readAgain(
  facts: RunFacts,
  { request, control }: Retelling,
  finish: (input: SurveyedInput, directory: string, quiet: RunControl) => Promise<RecPushError | undefined>,
): Promise<RecPushError | undefined> {
  const quiet: RunControl = {
    ...control,
    stdin: () => Readable.from([]),
    received: () => undefined,
    emit: () => undefined,
  };
  const { failure } = await runInputs(request, quiet, async ([input], _, directory) => {
    refuseOtherContent(facts, input!.source.name, input!.report.reading.fingerprint);
    refuseOtherRecords(facts, describeRecordPlan(input!, request.optionPlan));
    return finish(input!, directory, quiet);
  });
  return failure;
}

/** True if rows of a run that have to be mended are in no file: a process was killed before it wrote them. */
export async function lacksRejects(stored: StoredRun): Promise<boolean> {
  const { rejected, refused } = stored.account.counts;
  const toMend = rejected + refused;
  return toMend > 0 && (await readKeptPlace(stored)).rejects?.rows !== toMend;
}

/** The creates that a run left out, even if the ledger no longer gives the reason. */
async function selectionOf(
  input: SurveyedInput,
  stored: StoredRun,
  request: Retelling["request"],
  directory: string,
): Promise<Pick<StreamOptions, "leavesCreatesOut" | "whyLeftOut">> {
  const { account, facts } = stored;
  const leavesCreatesOut = facts.createdBy !== undefined;
  if (account.leftOut === 0) return { leavesCreatesOut };
  const { keeping } = request;
  const form = comparisonOf(input.plan, identityFields(keeping.exports), facts.compared);
  const duplicates = new DuplicateCheck({ request, keeping, directory });
  try {
    const answer = await duplicates.ask(input, { kind: "resume", stored }, form, true);
    return { leavesCreatesOut, whyLeftOut: (ordinal) => answer?.whyLeftOut(ordinal) ?? "created" };
  } finally {
    await duplicates.close();
  }
}

function describeFailure({ message, hint }: RecPushError, { results }: PushRequest): string {
  const what =
    results === undefined
      ? "the rows in doubt and the rejects are not written to files"
      : `the results in ${results.path} are not brought up to date`;
  return `${what}: ${message}${hint === undefined ? "" : ` (${hint.split("\n")[0]})`}`;
}
