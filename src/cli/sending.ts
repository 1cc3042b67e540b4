import type { ConfigUse } from "../model/event.ts";
import { RecPushError } from "../model/failure.ts";
import type { AskedPlace } from "../finish/asked-place.ts";
import type { RunEnd } from "../model/run-end.ts";
import type { RunKeeping } from "../run/start-run.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import type { OptionValues } from "../options/table.ts";
import { lineWords } from "../options/line-words.ts";
import { mendCommand } from "../options/mend-command.ts";
import { push } from "../run/push.ts";
import type { RunRequest } from "../run/run-inputs.ts";
import { namesOf } from "./run-settings.ts";
import { SIGNAL_EXIT } from "../model/exit-code.ts";
import type { CommandLine } from "./program.ts";
import { quoteWord } from "../model/shell-word.ts";
import { displayUrl, type Target } from "../send/target.ts";
import { nameShard } from "../shards/open-shard.ts";
import type { TableLock } from "../state/table-lock.ts";
import { closeDone } from "../journal/close-finished.ts";
import { adviseInit } from "./advise-init.ts";
import { isForAPerson } from "./ask/is-for-a-person.ts";
import type { Decision } from "./ask/settle-by-asking.ts";
import type { ResultsPlace } from "../finish/results.ts";
import { resultFieldsOf } from "./exports-options.ts";
import { finishRun } from "./finish.ts";
import type { Io } from "./io.ts";
import { placesBeside, settleRejectsPlaces } from "./rejects-place.ts";
import { openReporter } from "./reporting.ts";
import { settleResultsPlace } from "./results-place.ts";
import { hideInFault } from "./line-secrets.ts";
import { formerUrlsOf } from "./former-urls.ts";
import { notStarted } from "./not-started.ts";
import { nameRun } from "./run-name.ts";
import { createGrowingRedactor } from "./secrets.ts";
import { sendSettingsOf } from "./send-settings.ts";
import { listenForStop } from "./signals.ts";
import { withTableLock } from "./table-locking.ts";
import { readVersion } from "./version.ts";
import { steadyMs } from "../model/steady-ms.ts";

/** Time for requests in flight after a signal, if `--grace` is not given. */
const DEFAULT_GRACE_MS = 25_000;

/** A push: its files, its target, and how it is kept. */
export interface Sending {
  readonly values: OptionValues;
  readonly request: RunRequest;
  /** The options as they were written, on the command line alone and with the configs below them. */
  readonly line: OptionTexts;
  readonly merged: OptionTexts;
  readonly target: Target;
  readonly configs?: readonly ConfigUse[];
  /** Notices to show before the push begins. */
  readonly notices?: readonly string[];
  /** Asks the user what is not certain; `undefined` if nobody is there, or if nothing may be asked. */
  readonly ask?: (() => Promise<Decision>) | undefined;
  /** Where the results of a resumed run are; without it `values.results` applies. */
  readonly results?: Omit<ResultsPlace, "identity"> | undefined;
  /** `undefined`: nothing is kept. */
  readonly keeping?: Omit<RunKeeping, "nameRun" | "command" | "target" | "lock" | "formerUrls"> & {
    readonly runKey: string | undefined;
  };
}

/**
 * Sends files to a table under the table's lock and reports the outcome; returns the exit code, or the command line
 * that the user decided on instead.
 */
export async function sendFiles(sending: Sending, io: Io): Promise<number | CommandLine> {
  const { values, request, line, merged, target, configs, keeping, ask, notices = [] } = sending;
  const startedMs = steadyMs();
  const { grace: graceMs = DEFAULT_GRACE_MS, waitLock: waitLockMs = 0 } = values;
  const settings = sendSettingsOf(values, {
    redact: createGrowingRedactor(target.secrets),
    userAgent: `rec-push/${readVersion()}`,
  });
  const rejects = await placesOf(sending);
  const place = sending.results ?? (await settleResultsPlace(values.results, request.files, rejects));
  const results = place && { ...place, identity: resultFieldsOf(values) };
  const reporter = await openReporter(values, io, false);
  // The summary is the last that is told: a signal after it changes nothing.
  let isTold = false;
  const stop = listenForStop(io, graceMs, (signal) => {
    if (isTold) return;
    const seconds = Math.round(graceMs / 1000);
    const [why, more] =
      io.program === undefined ? [signal, "; a second signal stops at once"] : ["aborted", ""];
    const text = `${why}: no new batch is sent; requests in flight get ${seconds} s${more}`;
    reporter.emit({ kind: "notice", notice: { text } });
  });
  const { drain, abort, received } = stop;
  const url = target.origin + target.path;
  const { table } = target;
  const formerUrls = formerUrlsOf(values, table);
  const names = namesOfRuns(keeping?.resumed);
  const run = names.first;
  const pushAll = async (lock?: TableLock): Promise<RunEnd> => {
    const kept = keeping !== undefined &&
      lock !== undefined && {
        ...keeping,
        lock,
        formerUrls,
        target: {
          url,
          dbVersion: target.dbVersion ?? null,
          runKey: keeping.runKey ?? null,
          ...(target.queryHash === undefined ? {} : { queries: target.queryHash }),
        },
        command: run,
        nameRun: names.next,
      };
    const openSession = async () => {
      const { createSendSession } = await import("../send/send-session.ts");
      return createSendSession({ target, settings });
    };
    return push(
      {
        ...request,
        ledgerWords: lineWords(line, "ledger"),
        commandFor: (path, survey, other) =>
          mendCommand(
            { path, survey },
            { line: { ...line, ...other }, merged: { ...merged, ...other }, fields: request.fields },
          ),
        spoolIn: keeping?.state.incoming,
        openSession,
        rejects,
        results,
        ...(kept && { keeping: kept }),
      },
      { stdin: () => io.stdin, drain, abort, received, emit: reporter.emit, caughtUp: reporter.caughtUp },
    );
  };
  // Returns the exit code, or the ending if it is to be reported only after the user was asked.
  const plan = keeping?.shard && quoteWord(keeping.shard.directory);
  const conclude = async (end: RunEnd, mayAsk: boolean): Promise<number | RunEnd> => {
    const failure = adviseInit(end.failure, { files: request.files, table, line, configs: configs ?? [] });
    if (mayAsk && failure !== undefined && isForAPerson(failure)) return end;
    const called = { line, merged, fields: request.fields };
    const about = { run, startedMs, signal: received(), called };
    isTold = true;
    const code = finishRun(reporter, { ...end, failure, plan }, about);
    if (keeping !== undefined) await closeDone(keeping.state, end.doneRuns, url);
    return code;
  };
  const mayAsk = ask !== undefined;
  try {
    const files = namesOf(request);
    reporter.emit({ kind: "run", run, table, url: displayUrl(target), files, configs });
    for (const text of notices) reporter.emit({ kind: "notice", notice: { text } });
    const concluded = await (keeping === undefined
      ? conclude(await pushAll(), mayAsk)
      : withTableLock(
          keeping.state,
          { url, table, shard: keeping.shard && nameShard(keeping.shard) },
          waitLockMs,
          drain,
          async (lock) => conclude(await pushAll(lock), mayAsk),
          async (failure) => conclude(notStarted(failure), mayAsk),
        ));
    if (typeof concluded === "number") return concluded;
    // Their signal handlers and their progress line would interfere with the question.
    stop.release();
    reporter.close();
    const decision = await ask!();
    if (decision.kind === "send") return decision.line;
    if (decision.kind === "brokeOff") {
      io.stderr.write("nothing was sent\n");
      return SIGNAL_EXIT.SIGINT;
    }
    const { left } = decision;
    // What the answers left open is told, and no longer what they settled.
    for (const event of left?.events ?? [])
      if (event.kind === "problems" || event.kind === "reject") reporter.emit(event);
    return (await conclude({ ...concluded, ...(left && { failure: left.end.failure }) }, false)) as number;
  } catch (error) {
    throw error instanceof RecPushError ? error : hideInFault(error, target.secrets());
  } finally {
    stop.release();
    reporter.close();
  }
}

/**
 * A rehearsal that keeps nothing only leaves files of rows if the command line asks for them; those of a shard are in its
 * run's directory.
 */
async function placesOf({
  values,
  line,
  request: { files },
  keeping,
}: Sending): Promise<readonly (AskedPlace | undefined)[]> {
  if (keeping?.shard !== undefined) return [];
  const target = keeping === undefined ? line["rejects"] : values.rejects;
  if (typeof target === "string") return settleRejectsPlaces(target, files);
  return keeping === undefined ? [] : placesBeside(files, keeping.state.root);
}

/** The first run gets the name that was shown at the beginning. */
function namesOfRuns(resumed: string | undefined): { readonly first: string; readonly next: () => string } {
  const first = resumed ?? nameRun();
  let isTaken = false;
  return {
    first,
    next() {
      if (isTaken) return nameRun();
      isTaken = true;
      return first;
    },
  };
}
