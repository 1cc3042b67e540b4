import { resolve } from "node:path";
import { whyNothingIsDecided, type DoubtDecision } from "../../journal/doubt-decision.ts";
import { findRun } from "../../journal/find-runs.ts";
import { findGoesFirst, refuseBeforeOlder } from "../../journal/goes-first.ts";
import { listRuns, stateOf, type StoredRun } from "../../journal/run-store.ts";
import { findClosedDoubt } from "../../ledger/settle-closed-doubt.ts";
import type { RunEvent } from "../../model/event.ts";
import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { given } from "../../options/given.ts";
import { readValues } from "../../options/read-values.ts";
import type { OptionValues } from "../../options/table.ts";
import { refuseShard } from "../../run/refuse-shard.ts";
import { settleDoubt } from "../../run/settle-doubt.ts";
import { openStateDirectory, type StateDirectory } from "../../state/state-directory.ts";
import type { TableLock } from "../../state/table-lock.ts";
import { splitCredentials } from "../credentials/credential-places.ts";
import { exportsOf } from "../exports-options.ts";
import { withAllHeaders } from "../header-files.ts";
import type { Io } from "../io.ts";
import { checkQueryValues } from "../kept-names.ts";
import type { CommandLine } from "../program.ts";
import { isConfirmed } from "../ask/is-confirmed.ts";
import { resumeClosed } from "../resume/closed-doubt.ts";
import { countDecided, readDecision, runOfDecision } from "../resume/read-decision.ts";
import { resultsOfRun } from "../resume/results-of-run.ts";
import { resumeRequest } from "../resume/resume-request.ts";
import { refuseWithoutInput, retelling } from "../resume/retelling.ts";
import { sendFiles } from "../sending.ts";
import { stateRoot } from "../state-settings.ts";
import { withTableLock } from "../table-locking.ts";
import { notStarted } from "../not-started.ts";
import { readTarget } from "../target-settings.ts";
import { tellEnd } from "../tell-end.ts";

/** Continues an open run: sends the records that were certainly not applied; the user decides on those in doubt. */
export async function runResume(typed: CommandLine, io: Io): Promise<number> {
  const { files } = typed;
  // The paths of a run are absolute, so that what is printed about it works from every directory.
  const { stateDir } = typed.options;
  const options =
    stateDir === undefined
      ? typed.options
      : { ...typed.options, stateDir: resolve(io.cwd, String(stateDir)) };
  if (options["plan"] !== undefined || options["shard"] !== undefined) {
    const { resumeShard } = await import("./push-shard.ts");
    return resumeShard(typed, io);
  }
  const line = { texts: options, values: readValues(options) };
  const state = await openStateDirectory(stateRoot(line.values, io));
  const { inDoubt } = line.values;
  const name = files[0] ?? (await runOfDecision(inDoubt, io.cwd));
  // If the run was pruned, the ledger still knows what it left in doubt.
  if (name !== undefined && inDoubt !== undefined) {
    const pruned = (await listRuns(state)).includes(name) ? undefined : await findClosedDoubt(state, name);
    if (pruned !== undefined) return resumeClosed(state, name, pruned.facts.target.url, inDoubt, io);
  }
  const stored = await findRun(state, name);
  // A decision is about the run that was found; without one, the files of a command are sent in their order.
  const older = name === undefined && inDoubt === undefined ? await findGoesFirst(state, stored) : undefined;
  return resumeRun(state, older ?? stored, line, io);
}

/** The options given to the resume itself. */
interface Line {
  readonly texts: OptionTexts;
  readonly values: OptionValues;
}

async function resumeRun(state: StateDirectory, stored: StoredRun, line: Line, io: Io): Promise<number> {
  const { facts, account, run } = stored;
  const { inDoubt, staleOk = false, waitLock = 0 } = line.values;
  refuseShard(facts);
  const runState = stateOf(account);
  if (runState === "abandoned") {
    if (inDoubt !== undefined) {
      const { place, notice } = await resultsOfRun(stored, line.values.results, io.cwd);
      if (notice !== undefined) io.stderr.write(`${notice}\n`);
      const retell = place && retelling({ state, texts: line.texts, results: place, cwd: io.cwd });
      return resumeClosed(state, run, facts.identity.url, inDoubt, io, retell);
    }
    const { takenOverBy } = account;
    const why = takenOverBy === undefined ? "was given up" : `was taken over by the run ${takenOverBy}`;
    throw new RecPushError("usage", "abandoned-run", `the run ${run} ${why}`, {
      hint: "push its file again: what it created stays, so check that before adding --again",
    });
  }
  const decision = inDoubt && (await readDecision(inDoubt, stored, io.cwd));
  // It is judged once more with the lock held.
  const isPresent = decision !== undefined && decision.doubt === account.doubt;
  const answer = isPresent ? decision.inDoubt : undefined;
  if (decision !== undefined && account.doubt === undefined) refuseUnknown(stored, decision);
  if (answer === "resend") await refuseWithoutInput(stored);
  // If nothing is left to send, no token is needed, and the file is only needed to report more.
  const isToSend = runState === "unfinished" || answer === "resend";
  if (runState === "finished" || !isToSend) return resumeSettled(state, stored, decision, line, io);
  // A decision on what is in doubt does not wait, whatever else the run has to send.
  if (!staleOk && answer === undefined) await refuseBeforeOlder(state, stored);
  const notices: string[] = [];
  if (decision?.file !== undefined) {
    const text = countDecided(stored, decision.file.left);
    if (!(await isConfirmed(text, line.values, io))) return EXIT.ok;
    notices.push(text);
  }
  // This is known even if the file can no longer be read, but sending again needs the file.
  const isDecided = answer === "applied" || answer === "absent";
  if (isDecided) {
    const { url } = facts.identity;
    const drain = new AbortController().signal;
    const { failure } = await withTableLock(
      state,
      { url, table: facts.table },
      waitLock,
      drain,
      (lock) => settleDoubt({ state, lock }, run, decision, (text) => notices.push(text)),
      notStarted,
    );
    if (failure !== undefined) throw failure;
    const fate = answer === "applied" ? "count as created" : "are not sent";
    notices.push(`the records that the run ${run} had in doubt ${fate}; now for those that it has not sent`);
  }
  const {
    merged,
    values: kept,
    request,
  } = resumeRequest(stored, await withAllHeaders(line.texts, io.env), true);
  // The environment takes precedence over the run's token file, because a newer token is more likely there.
  const onLine = { ...splitCredentials(kept).others, ...splitCredentials(line.texts).places };
  const target = await readTarget(onLine, facts.table, io.env, undefined, {
    ...splitCredentials(facts.options).places,
    from: `the run ${run}`,
    notice: (text) => notices.push(text),
  });
  checkQueryValues(facts, target.queryHash);
  const runKey = facts.identity.runKey ?? undefined;
  const results = await resultsOfRun(stored, line.values.results, io.cwd);
  if (results.notice !== undefined) notices.push(results.notice);
  const keeping = {
    state,
    facts,
    cwd: io.cwd,
    again: false,
    exports: exportsOf(kept),
    staleOk,
    runKey,
    resumed: run,
    decision: isDecided ? undefined : decision,
  };
  const asTyped = given({ ...merged, table: facts.table, runKey });
  const about = { values: kept, request, line: asTyped, merged, target, notices, keeping };
  // It is an exit code, because nobody is asked.
  return (await sendFiles({ ...about, results: results.place }, io)) as number;
}

/**
 * Settles the doubt of a run that has nothing left to send, if the user decides on it, and prints the state of the run.
 */
async function resumeSettled(
  state: StateDirectory,
  stored: StoredRun,
  decision: DoubtDecision | undefined,
  { values, texts }: Line,
  io: Io,
): Promise<number> {
  const { facts, run } = stored;
  refuseRejects(values, run);
  const isWanted = decision !== undefined || values.results !== undefined;
  const results = isWanted ? await resultsOfRun(stored, values.results, io.cwd) : {};
  const retell = retelling({ state, texts, results: results.place, cwd: io.cwd });
  const end = (emit: (event: RunEvent) => void, lock: TableLock) => {
    const tell = (text: string): void => emit({ kind: "notice", notice: { text }, isAlwaysShown: true });
    if (results.notice !== undefined) tell(results.notice);
    return settleDoubt({ state, lock }, run, decision, tell, retell);
  };
  const { identity, table } = facts;
  const { merged, request } = resumeRequest(stored, texts, false);
  const asTyped = given({ ...merged, table, runKey: identity.runKey ?? undefined });
  const called = { line: asTyped, merged, fields: request.fields };
  return tellEnd({ state, values, run, url: identity.url, table, files: [facts.file], called }, end, io);
}

/** Throws a usage error for a doubt that the run never had, as far as is known, if nothing else is in doubt either. */
function refuseUnknown({ run, account }: StoredRun, decision: DoubtDecision): void {
  if (account.decided.has(decision.doubt)) return;
  throw new RecPushError(
    "usage",
    "nothing-in-doubt",
    `${whyNothingIsDecided(run, account, decision)}, and nothing was sent`,
    { hint: `rec-push runs ${run} says how it ended` },
  );
}

/** Throws a usage error if rejects are asked for that only another push could write. */
function refuseRejects({ rejects }: OptionValues, run: string): void {
  if (rejects === undefined) return;
  throw new RecPushError(
    "usage",
    "nothing-to-send",
    `nothing of the run ${run} is left to send, so its rows are not judged again for --rejects`,
    { hint: "leave --rejects out" },
  );
}
