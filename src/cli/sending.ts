import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { AskedPlace } from "../files/kept-place.ts";
import type { ResultsPlace } from "../files/results.ts";
import type { ExportsOptions } from "../ledger/exports-rule.ts";
import type { ConfigUse } from "../model/counts.ts";
import type { RunEvent } from "../model/event.ts";
import { EXIT, type RunEnd, SIGNAL_EXIT } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { quoteWord } from "../model/text.ts";
import { steadyMs } from "../model/steady-ms.ts";
import { given } from "../options/declaration.ts";
import { initCommand, lineWords } from "../options/derive.ts";
import type { OptionValues } from "../options/table.ts";
import type { PushRequest, RunKeeping } from "../push/run-outputs.ts";
import type { RunRequest } from "../push/check.ts";
import { push } from "../push/push.ts";
import { Tally } from "../push/tally-run.ts";
import { defaultSendSettings, type SendSettings } from "../send/settings.ts";
import { displayUrl, type Target } from "../send/target.ts";
import { nameShard } from "../shards/open-shard.ts";
import { closeDone } from "../store/close-finished.ts";
import type { TableLock } from "../store/held-lock.ts";
import { askToSend, type Dialogue, type Settled } from "./ask/dialogue.ts";
import { createRedactor, hideInFault } from "./line-secrets.ts";
import { placesBeside, settleRejectsPlaces, settleResultsPlace } from "./output-places.ts";
import { finishRun, holdBack, mendingOf, openReporter } from "./reporting.ts";
import { type Io, listenForStop, namesOf } from "./run-settings.ts";
import { withTableLock } from "./table-locking.ts";
import { readVersion } from "./version.ts";

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
  /** The questions to a person; `undefined` if nobody is there, or if nothing may be asked. */
  readonly dialogue?: Dialogue | undefined;
  /** Where the results of a resumed run are; without it `values.results` applies. */
  readonly results?: Omit<ResultsPlace, "identity"> | undefined;
  /** `undefined`: nothing is kept. */
  readonly keeping?: Omit<RunKeeping, "nameRun" | "command" | "target" | "lock"> & {
    readonly runKey: string | undefined;
  };
}

/**
 * Sends files to a table under the table's lock and reports the outcome; returns the exit code, or `again` if the
 * command is to be run once more with the answers that a person gave.
 */
export async function sendFiles(sending: Sending, io: Io): Promise<number | "again"> {
  const { values, request, line, merged, target, configs = [], keeping, dialogue, notices = [] } = sending;
  const startedMs = steadyMs();
  const { grace: graceMs = DEFAULT_GRACE_MS, waitLock: waitLockMs = 0 } = values;
  const settings = sendSettingsOf(values, {
    redact: createRedactor(target.secrets),
    userAgent: `rec-push/${readVersion()}`,
  });
  const rejects = await placesOf(sending);
  const place = sending.results ?? (await settleResultsPlace(values.results, request.files, rejects));
  const results = place && { ...place, identity: resultFieldsOf(values) };
  const opened = await openReporter(values, io, false, dialogue?.hasAnswers === true);
  const held = dialogue && holdBack(opened);
  if (dialogue !== undefined) dialogue.survey = undefined;
  const reporter = held ?? opened;
  const emit = (event: RunEvent): void => {
    if (dialogue !== undefined && event.event === "survey" && request.files.length === 1)
      dialogue.survey = event.survey;
    reporter.emit(event);
  };
  // The summary is the last that is told: a signal after it changes nothing.
  let isTold = false;
  const stop = listenForStop(io, graceMs, (signal) => {
    if (isTold) return;
    const seconds = Math.round(graceMs / 1000);
    const [why, more] =
      io.program === undefined ? [signal, "; a second signal stops at once"] : ["aborted", ""];
    const text = `${why}: no new batch is sent; requests in flight get ${seconds} s${more}`;
    reporter.emit({ event: "notice", text });
  });
  const { drain, abort, received } = stop;
  const url = target.origin + target.path;
  const { table } = target;
  const run = keeping?.resumed ?? nameRun();
  // The first run gets the name that was shown at the beginning.
  const shown = [run];
  const pushAll = async (lock?: TableLock): Promise<RunEnd> => {
    const kept = keeping !== undefined &&
      lock !== undefined && {
        ...keeping,
        lock,
        target: {
          url,
          dbVersion: target.dbVersion ?? null,
          runKey: keeping.runKey ?? null,
          ...(target.queryHash === undefined ? {} : { queries: target.queryHash }),
        },
        command: run,
        nameRun: () => shown.pop() ?? nameRun(),
      };
    const openSession = async (areCreatesProven: boolean) => {
      const { createSendSession } = await import("../send/send-session.ts");
      return createSendSession({ target, settings, areCreatesProven });
    };
    return push(
      {
        ...request,
        ledgerWords: lineWords(line, "ledger"),
        mendCommand: mendingOf({ line, merged, fields: request.fields }, io.cwd),
        spoolIn: keeping?.state.incoming,
        openSession,
        confirm,
        rejects,
        results,
        ...(kept && { keeping: kept }),
      },
      { stdin: () => io.stdin, drain, abort, received, emit, caughtUp: reporter.caughtUp },
    );
  };
  let said: Settled | "yes" | undefined;
  const confirm: PushRequest["confirm"] = async (toSend) => {
    held?.release();
    const question = dialogue?.hasAnswers === true ? askToSend(toSend) : undefined;
    if (question === undefined) return undefined;
    said = await dialogue!.confirm(question, drain);
    if (said === "yes") return undefined;
    return new RecPushError("input", "not-confirmed", "nothing was sent");
  };
  // Returns the exit code, or the ending if a person is to be asked, or has broken off.
  const plan = keeping?.shard && quoteWord(keeping.shard.directory);
  const conclude = async (end: RunEnd, lock?: TableLock): Promise<number | RunEnd> => {
    const found = dialogue === undefined ? end.failure : dialogue.failureToTell(end.failure);
    const failure = adviseInit(found, { files: request.files, table, line, configs });
    if (end.failure?.code === "not-confirmed" || dialogue?.settles(failure) === true) return end;
    held?.release();
    const about = { run, startedMs, signal: received() };
    isTold = true;
    const code = finishRun(reporter, { ...end, failure, plan }, about);
    if (keeping !== undefined && lock !== undefined)
      await closeDone({ state: keeping.state, lock }, end.doneRuns, code !== EXIT.ok);
    return code;
  };
  try {
    const files = namesOf(request);
    reporter.emit({ event: "run", run, table, url: displayUrl(target), files, configs });
    for (const text of notices) reporter.emit({ event: "notice", text });
    const concluded = await (keeping === undefined
      ? conclude(await pushAll())
      : withTableLock(
          keeping.state,
          { url, queries: target.queryHash, table, shard: keeping.shard && nameShard(keeping.shard) },
          waitLockMs,
          drain,
          async (lock) => conclude(await pushAll(lock), lock),
          async (failure) => conclude(notStarted(failure)),
        ));
    if (typeof concluded === "number") return concluded;
    held!.releaseRows();
    // Their signal handlers and their progress line would interfere with the question.
    stop.release();
    reporter.close();
    said ??= await dialogue!.settle(concluded.failure!);
    if (said === "again") return "again";
    if (said === "no") {
      io.stderr.write("nothing was sent, and no answer is kept\n");
      return EXIT.input;
    }
    io.stderr.write("nothing was sent\n");
    return SIGNAL_EXIT[received() ?? "SIGINT"];
  } catch (error) {
    throw error instanceof RecPushError ? error : hideInFault(error, target.secrets());
  } finally {
    stop.release();
    reporter.close();
  }
}

/**
 * A rehearsal that keeps nothing only leaves files of rows if it is asked for them; those of a shard are in its run's
 * directory.
 */
async function placesOf({
  values: { rejects },
  request: { files },
  keeping,
}: Sending): Promise<readonly (AskedPlace | undefined)[]> {
  if (keeping?.shard !== undefined) return [];
  if (rejects !== undefined) return settleRejectsPlaces(rejects, files);
  return keeping === undefined ? [] : placesBeside(files, keeping.state.root);
}

/** Converts the options of the group "Sending" to settings. */
function sendSettingsOf(
  values: OptionValues,
  base: Pick<SendSettings, "redact" | "userAgent">,
): SendSettings {
  const { batchSize, batchBytes, compress, concurrency, retries, maxFailed } = values;
  const { safeStatus, atomicBatches, okMsg: okMessages } = values;
  return {
    ...defaultSendSettings,
    ...base,
    ...given({ batchSize, batchBytes, compress, retries, maxFailed }),
    ...given({ concurrency: concurrency === "auto" ? undefined : concurrency }),
    ...given({ safeStatus, atomicBatches, okMessages }),
    ...given({ hasKeys: values.idempotencyKey }),
    ...given({
      timeoutMs: values.timeout,
      maxWaitMs: values.maxWait,
      ratePerSecond: values.rate,
      lateMs: values.late,
    }),
  };
}

/** The options that say what the files of the table hold. */
export function exportsOf({ exports, identifyBy, onRepeat }: OptionValues): ExportsOptions {
  const isRecord = identifyBy?.length === 1 && identifyBy[0] === "record";
  return { exports, identity: isRecord ? "record" : identifyBy, keepsLast: onRepeat === "last" };
}

/** The fields that have their own columns in the results. */
export function resultFieldsOf({ identifyBy = [] }: OptionValues): readonly string[] {
  return identifyBy.includes("record") ? [] : identifyBy;
}

/** A name for a run that sorts by time: `20261121-031500-3f9a1c`, in UTC. */
export function nameRun(now: Date = new Date()): string {
  const [date = "", time = ""] = now.toISOString().split(/[T.]/);
  return `${date.replaceAll("-", "")}-${time.replaceAll(":", "")}-${randomBytes(3).toString("hex")}`;
}

/** The ending of a command that read nothing, with what stopped it. */
export function notStarted(failure: RecPushError | undefined): RunEnd {
  return new Tally().end([], failure);
}

interface Asked {
  readonly files: readonly string[];
  readonly table: string | undefined;
  readonly line: OptionTexts;
  readonly configs: readonly ConfigUse[];
}

/** The failure with the single command that accepts all its answers for this file and future ones, if there is one. */
export function adviseInit(
  failure: RecPushError | undefined,
  { files, table, line, configs }: Asked,
): RecPushError | undefined {
  const [file, another] = files;
  if (failure?.isAnswered !== true || failure.options.length === 0) return failure;
  // There is a section already, and a question about one file must not make the user lose it.
  const isKnown = configs.some((config) => config.table !== undefined);
  if (file === undefined || another !== undefined || file === "-" || isKnown) return failure;
  const command = initCommand(file, table ?? "NAME", line);
  return failure.withHint(
    `${command} accepts all of this and, if nothing else is open, writes it for the next files`,
  );
}

/**
 * The line for cron: it names the config, so that no directory is searched for one, and prints nothing as long as all
 * is well.
 */
export function cronLine(file: string, table: string, config: string, cwd: string): string {
  const words = ["rec-push", resolve(cwd, file), "--table", table, "--config", config, "--quiet"];
  // Cron treats a percent sign as a line end.
  return `0 6 * * *  ${words.map(quoteWord).join(" ").replaceAll("%", "\\%")}`;
}
