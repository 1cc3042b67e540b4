import { resolve } from "node:path";
import { hashOf } from "../../finish/claim-path.ts";
import { decisionOn, refuseRunning } from "../../journal/decide-doubt.ts";
import type { DoubtDecision } from "../../journal/doubt-decision.ts";
import type { KeyedDoubt } from "../../journal/standings.ts";
import { findOpenRuns, findRun } from "../../journal/find-runs.ts";
import { findGoesFirst, refuseBeforeOlder } from "../../journal/goes-first.ts";
import { openState } from "../../journal/open-state.ts";
import { listRuns, stateOf, type StoredRun } from "../../journal/run-store.ts";
import { findClosedDoubt } from "../../ledger/settle-closed-doubt.ts";
import type { RunEvent } from "../../model/event.ts";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { given } from "../../options/given.ts";
import { handedOnTexts } from "../../options/kept-texts.ts";
import { readValues } from "../../options/read-values.ts";
import type { OptionValues } from "../../options/table.ts";
import { refuseMissing } from "../../run/decide-by-file.ts";
import { refuseShard } from "../../run/refuse-shard.ts";
import { settleDoubt } from "../../run/settle-doubt.ts";
import type { Target } from "../../send/target.ts";
import type { StateDirectory } from "../../state/state-directory.ts";
import type { TableLock } from "../../state/table-lock.ts";
import { splitCredentials } from "../credentials/credential-places.ts";
import { exportsOf } from "../exports-options.ts";
import { withAllHeaders } from "../header-files.ts";
import type { Io } from "../io.ts";
import { checkQueryValues } from "../kept-names.ts";
import type { CommandLine } from "../program.ts";
import { refuseRows, resumeClosed } from "../resume/closed-doubt.ts";
import { resultsOfRun } from "../resume/results-of-run.ts";
import { resumeRequest } from "../resume/resume-request.ts";
import { isAlive } from "../../send/idempotency-key.ts";
import { keyTtlOf } from "../send-settings.ts";
import { refuseGone, retelling } from "../resume/retelling.ts";
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
  const state = await openState(stateRoot(line.values, io));
  const { inDoubt, inDoubtFile } = line.values;
  const [name] = files;
  // If the run was pruned, the ledger still knows what it left in doubt.
  if (name !== undefined && (inDoubt === "applied" || inDoubt === "absent" || inDoubtFile !== undefined)) {
    const pruned = (await listRuns(state)).includes(name) ? undefined : await findClosedDoubt(state, name);
    if (pruned !== undefined && inDoubtFile !== undefined) refuseRows(name);
    if (pruned !== undefined && inDoubt !== undefined && inDoubt !== "resend")
      return resumeClosed(state, name, pruned.facts.target.url, inDoubt, io);
  }
  const stored = await findRun(state, name);
  // A decision is about the run that was found; without one, the files of a command are sent in their order.
  const older =
    name === undefined && inDoubt === undefined && inDoubtFile === undefined
      ? await findGoesFirst(state, stored)
      : undefined;
  return resumeRun(state, older ?? stored, line, io);
}

/**
 * Resumes the open runs on a target's table, the oldest first, until one does not finish; returns the last exit code.
 */
export async function resumeOpenRuns(
  state: StateDirectory,
  target: Target,
  options: OptionTexts,
  io: Io,
): Promise<number> {
  let code = 0;
  const texts = handedOnTexts(options);
  const line = { texts, values: readValues(texts) };
  for (const stored of await findOpenRuns(state, target.origin + target.path)) {
    code = await resumeRun(state, stored, line, io);
    if (code !== 0 && code !== 4) break;
  }
  return code;
}

/** The options given to the resume itself. */
interface Line {
  readonly texts: OptionTexts;
  readonly values: OptionValues;
}

async function resumeRun(state: StateDirectory, stored: StoredRun, line: Line, io: Io): Promise<number> {
  const { facts, account, run } = stored;
  const { inDoubt, inDoubtFile, staleOk = false, waitLock = 0 } = line.values;
  refuseShard(facts);
  const runState = stateOf(account);
  if (runState === "abandoned") {
    if (inDoubtFile !== undefined) refuseRows(run);
    if (inDoubt === "applied" || inDoubt === "absent") {
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
  // The decision applies to the records that are in doubt now, not to those of a later state.
  const decision = inDoubt && decisionOn(stored, inDoubt);
  if (inDoubtFile !== undefined) await checkDoubtFile(stored, resolve(io.cwd, inDoubtFile));
  // If nothing is left to send, no token is needed, and the file is only needed to report more.
  const ttlMs = keyTtlOf(readValues({ ...facts.options, ...line.texts }));
  const isKeyed = ({ key }: KeyedDoubt): boolean => ttlMs !== undefined && isAlive(key, ttlMs, Date.now());
  const isRepeated = inDoubt === undefined && account.keyedDoubts.some(isKeyed);
  const isToSend =
    runState === "unfinished" || inDoubt === "resend" || inDoubtFile !== undefined || isRepeated;
  if (runState === "finished" || !isToSend) return resumeSettled(state, stored, decision, line, io);
  // A decision on what is in doubt does not wait, whatever else the run has to send.
  if (!staleOk && inDoubt === undefined && inDoubtFile === undefined) await refuseBeforeOlder(state, stored);
  const notices: string[] = [];
  // This is known even if the file can no longer be read, but sending again needs the file.
  const isDecided = decision !== undefined && inDoubt !== "resend";
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
    const fate = inDoubt === "applied" ? "count as created" : "are forgotten";
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
    leavesAbsent: isDecided && inDoubt === "absent",
    doubtFile: inDoubtFile && resolve(io.cwd, inDoubtFile),
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

/** Throws a usage error if a file cannot decide on what a run has in doubt. */
async function checkDoubtFile(stored: StoredRun, path: string): Promise<void> {
  const { run, account } = stored;
  refuseRunning(stored);
  await refuseMissing(path, run);
  if (stateOf(account) !== "finished") return refuseGone(stored);
  if (account.decidedBy?.sha256 === (await hashOf(path))) return;
  throw new RecPushError(
    "usage",
    "nothing-in-doubt",
    `nothing is in doubt in the run ${run}; nothing is decided, and nothing was sent`,
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
