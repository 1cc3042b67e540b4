import { resolve } from "node:path";
import { removeDoubtFiles } from "../../files/doubt-files.ts";
import { readKeptResults } from "../../files/kept-place.ts";
import type { ResultsPlace } from "../../files/results.ts";
import { settleClosedDoubt } from "../../ledger/remove-creates.ts";
import { showCount } from "../../model/counts.ts";
import type { RunEvent } from "../../model/event.ts";
import { EXIT, type RunEnd } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { given } from "../../options/declaration.ts";
import { readValues } from "../../options/read-values.ts";
import type { InDoubt } from "../../options/runs.ts";
import type { OptionValues } from "../../options/table.ts";
import { refuseShard } from "../../push/forget-run.ts";
import { settleDoubt } from "../../push/settle-doubt.ts";
import type { Reporter } from "../../report/reporter.ts";
import { findRun, lacksResults } from "../../store/close-finished.ts";
import { type DoubtDecision, whyNothingIsDecided } from "../../store/doubt-decision.ts";
import { findInBooks } from "../../store/find-books.ts";
import { openStateDirectory, type StateDirectory } from "../../store/state-directory.ts";
import { keptOf, type KeptRun, loadKept, stateOf, type StoredRun } from "../../store/summarise-run.ts";
import type { TableLock } from "../../store/held-lock.ts";
import type { TableId } from "../../store/table-place.ts";
import { isConfirmed } from "../ask/dialogue.ts";
import { withEnvironment } from "../header-files.ts";
import { bookTarget, checkQueryValues, keepingOf } from "../keeping.ts";
import { settleResultsPlace } from "../output-places.ts";
import type { CommandLine } from "../program.ts";
import { openReporter } from "../reporting.ts";
import {
  countDecided,
  inputOf,
  readDecision,
  refuseGone,
  refuseWithoutInput,
  resumeRequest,
  retelling,
  runOfDecision,
} from "../resume/retelling.ts";
import { type Io, stateRoot } from "../run-settings.ts";
import { sendFiles } from "../sending.ts";
import { readTarget } from "../target-settings.ts";
import { inSession, notStarted } from "../session.ts";
import { withTableLock } from "../table-locking.ts";

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
    const isKept = (await loadKept(state, name).catch(() => undefined)) !== undefined;
    const pruned = isKept ? undefined : await findInBooks(state, name);
    if (pruned?.prints?.doubt !== undefined && pruned.book.table !== undefined)
      return resumeClosed(
        {
          state,
          values: line.values,
          run: name,
          id: pruned.book.table,
          table: pruned.book.table.url,
          files: [],
        },
        inDoubt,
        io,
      );
  }
  const found = await findRun(state, name);
  if (found.end.isAbandoned === true) return resumeAbandoned(state, found, line, io);
  const { stored } = found;
  if (stored === undefined)
    return resumeSettled(state, found, await decisionOf(inDoubt, found, io), line, io);
  return resumeRun(state, stored, line, io);
}

/**
 * The decision that the line gives. Throws a usage error if nothing is in doubt and the run is not known to have had that
 * doubt.
 */
async function decisionOf(
  inDoubt: InDoubt | undefined,
  kept: KeptRun,
  { cwd }: Io,
): Promise<DoubtDecision | undefined> {
  if (inDoubt === undefined) return undefined;
  const decision = await readDecision(inDoubt, kept, cwd);
  const { decided, shown } = kept.end.kept;
  if (shown.doubt !== undefined || decided[decision.doubt] !== undefined) return decision;
  throw new RecPushError(
    "nothing-in-doubt",
    `${whyNothingIsDecided(kept.run, kept.end.kept, decision)}, and nothing was sent`,
    { hint: `rec-push runs ${kept.run} says how it ended` },
  );
}

/** The options given to the resume itself. */
interface Line {
  readonly texts: OptionTexts;
  readonly values: OptionValues;
}

async function resumeRun(state: StateDirectory, stored: StoredRun, line: Line, io: Io): Promise<number> {
  const { facts, account, run } = stored;
  const { inDoubt, waitLock = 0 } = line.values;
  refuseShard(facts);
  const runState = stateOf(account);
  const decision = await decisionOf(inDoubt, keptOf(stored), io);
  // It is judged once more with the lock held.
  const isPresent = decision !== undefined && decision.doubt === account.doubt;
  const answer = isPresent ? decision.inDoubt : undefined;
  if (answer === "resend") await refuseWithoutInput(stored);
  // If nothing is left to send, no token is needed, and the file is only needed to report more.
  const isToSend = runState === "unfinished" || answer === "resend";
  if (runState === "finished" || !isToSend) return resumeSettled(state, keptOf(stored), decision, line, io);
  const notices: string[] = [];
  if (decision?.file !== undefined) {
    const text = countDecided(stored, decision.file.left);
    if (!(await isConfirmed(text, line.values, io))) return EXIT.ok;
    notices.push(text);
  }
  // This is known even if the file can no longer be read, but sending again needs the file.
  const isDecided = answer === "applied" || answer === "absent";
  if (isDecided) {
    const drain = new AbortController().signal;
    const table = { ...facts.identity, table: facts.table };
    await withTableLock(state, table, waitLock, drain, (lock) =>
      settleDoubt({ state, lock }, run, decision, (text) => notices.push(text)),
    );
    const fate = answer === "applied" ? "count as created" : "are not sent";
    notices.push(`the records that the run ${run} had in doubt ${fate}; now for those that it has not sent`);
  }
  // A decision comes first: its result is reported before the missing file.
  if (!isDecided) await refuseGone(stored);
  const {
    merged,
    values: kept,
    request,
  } = resumeRequest(stored, await withEnvironment(line.texts, io.env), true);
  const notice = (text: string): void => void notices.push(text);
  const target = await readTarget(kept, facts.table, {
    line: line.texts,
    env: io.env,
    from: `the run ${run}`,
    notice,
  });
  checkQueryValues(facts, target.queryHash);
  const runKey = facts.identity.runKey ?? undefined;
  const results = await resultsOfRun(stored, line.values.results, io.cwd);
  if (results.notice !== undefined) notices.push(results.notice);
  const keeping = {
    ...keepingOf(kept, { state, facts, target: bookTarget(target, runKey), cwd: io.cwd }),
    resumed: run,
    decision: isDecided ? undefined : decision,
  };
  const asTyped = given({ ...merged, table: facts.table, runKey });
  const about = { values: kept, request, line: asTyped, merged, target, notices, keeping };
  // Always an exit code, because nobody is asked.
  return (await sendFiles({ ...about, results: results.place }, io)) as number;
}

/** An abandoned run sends nothing more: only its doubt can be decided. */
async function resumeAbandoned(
  state: StateDirectory,
  { run, book, begun, end }: KeptRun,
  { values }: Line,
  io: Io,
): Promise<number> {
  const { inDoubt } = values;
  if (inDoubt !== undefined) {
    const { table } = end.kept.shown;
    const quiet = { state, values, run, id: book.table!, table, files: [begun.file] };
    return resumeClosed(quiet, inDoubt, io);
  }
  const { takenOverBy } = end.kept.shown;
  const why = takenOverBy === undefined ? "was given up" : `was taken over by the run ${takenOverBy}`;
  throw new RecPushError("abandoned-run", `the run ${run} ${why}`, {
    hint: "push its file again: what it created stays, so check that before adding --again",
  });
}

/**
 * Settles the doubt of a run that has nothing left to send, if the user decides on it, and prints the state of the run.
 */
async function resumeSettled(
  state: StateDirectory,
  kept: KeptRun,
  decision: DoubtDecision | undefined,
  { values, texts }: Line,
  io: Io,
): Promise<number> {
  const { run, stored, begun, book } = kept;
  refuseFiles(values, kept);
  const isWanted =
    stored !== undefined && (decision !== undefined || values.results !== undefined || lacksResults(stored));
  const results = isWanted ? await resultsOfRun(stored, values.results, io.cwd) : {};
  const retell = retelling({ state, texts, results: results.place, cwd: io.cwd });
  const end = (emit: (event: RunEvent) => void, lock: TableLock) => {
    const tell = (text: string): void => emit({ event: "notice", text, isAlwaysShown: true });
    if (results.notice !== undefined) tell(results.notice);
    return settleDoubt({ state, lock }, run, decision, tell, retell);
  };
  const { table } = kept.end.kept.shown;
  const quiet: QuietCommand = { state, values, run, id: book.table!, table, files: [begun.file] };
  return tellEnd(quiet, end, io);
}

/** Throws a usage error if files are asked for that only another push could write. */
function refuseFiles({ rejects, results }: OptionValues, { run, stored }: KeptRun): void {
  const isResults = results !== undefined && stored === undefined;
  if (rejects === undefined && !isResults) return;
  const option = rejects === undefined ? "--results" : "--rejects";
  throw new RecPushError(
    "nothing-to-send",
    `nothing of the run ${run} is left to send, so its rows are not judged again for ${option}`,
    { hint: `leave ${option} out` },
  );
}

/** Where the results of a run go now, and a notice about those that stay as they are. */
interface ResultsOfRun {
  readonly place?: Omit<ResultsPlace, "identity"> | undefined;
  readonly notice?: string;
}

/**
 * The place of a run's results: the one asked for, else the one where the run has them, unless somebody changed them or
 * they hold the rows of several files. Throws a usage error if the place asked for is taken.
 */
async function resultsOfRun(
  stored: StoredRun,
  asked: string | undefined,
  cwd: string,
): Promise<ResultsOfRun> {
  const kept = await readKeptResults(stored);
  if (asked === undefined && kept?.state === "foreign")
    return {
      notice: `the results in ${kept.path} were changed since, or hold the rows of several files: they stay as they are; --results FILE writes those of this run`,
    };
  const path = asked === undefined ? kept?.path : resolve(cwd, asked);
  if (path === undefined) return {};
  const isOwn = kept?.state === "written" && kept.path === path;
  return { place: await settleResultsPlace(path, [inputOf(stored)], [], isOwn) };
}

/** A command on a run that sends nothing. */
interface QuietCommand {
  readonly state: StateDirectory;
  readonly values: OptionValues;
  readonly run: string;
  readonly id: TableId;
  readonly table: string;
  readonly files: readonly string[];
}

/** Works on a run under its table's lock and reports the state of the run; returns the exit code. */
async function tellEnd(
  { state, values, run, id, table, files }: QuietCommand,
  work: (emit: Reporter["emit"], lock: TableLock) => Promise<RunEnd>,
  io: Io,
): Promise<number> {
  const reporter = await openReporter(values, io, false);
  return inSession({ reporter, values, io }, async ({ begin, locked, finish }) => {
    begin({ run, table, url: id.url, files, configs: [] });
    return finish(
      await locked(state, { ...id, table }, (lock) => work(reporter.emit, lock), notStarted),
      run,
    );
  });
}

/**
 * The user's decision on the doubt of a closed run. Only the ledger still records it, so all of its records get one answer.
 */
async function resumeClosed(quiet: QuietCommand, decision: InDoubt, io: Io): Promise<number> {
  const { state, run } = quiet;
  const work = async (emit: Reporter["emit"], lock: TableLock): Promise<RunEnd> => {
    const tell = (text: string): void => emit({ event: "notice", text, isAlwaysShown: true });
    const left = await findInBooks(state, run);
    if (left?.prints?.doubt === undefined)
      throw new RecPushError("not-open", `the run ${run} is closed, and left nothing in doubt`);
    const { doubtful: records, doubt } = left.prints;
    const end = { ...notStarted(undefined), runs: [run], read: records };
    if (records === 0) {
      tell(`the doubt ${doubt} of the run ${run} was decided before: nothing is left to do`);
      return end;
    }
    const isMeant = decision.kind === "file" || decision.doubt === doubt;
    if (!isMeant || decision.kind === "file" || decision.answer === "resend") {
      tell(
        isMeant
          ? `the run ${run} is closed: it sends nothing any more, so nothing is decided`
          : `${decision.doubt} is not in doubt in the run ${run}, which is closed: nothing is decided`,
      );
      const open = { run, file: run, records, doubt, inputNow: "gone", left: 0 } as const;
      return { ...end, counts: { ...end.counts, inDoubt: records }, doubts: [open] };
    }
    const { answer } = decision;
    await settleClosedDoubt(lock, left.book, left.prints, run, answer);
    const kept = await loadKept(state, run);
    if (kept !== undefined) {
      await removeDoubtFiles(kept, undefined);
      const { path } = (await readKeptResults(kept)) ?? {};
      if (path !== undefined) tell(`the results in ${path} still say that they are in doubt`);
    }
    const [fate, outcome] =
      answer === "applied" ? (["created", "accepted"] as const) : (["absent", "notSent"] as const);
    tell(
      `${showCount(records, "create")} of the run ${run} ${records === 1 ? "counts" : "count"} as ${fate}`,
    );
    return { ...end, counts: { ...end.counts, [outcome]: records } };
  };
  return tellEnd(quiet, work, io);
}
