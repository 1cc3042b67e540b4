import type { ConfigUse } from "../model/event.ts";
import { RecPushError } from "../model/failure.ts";
import type { RunEnd } from "../model/run-end.ts";
import type { RunKeeping } from "../run/keep-run.ts";
import { push } from "../run/push.ts";
import type { RunRequest } from "../run/run-inputs.ts";
import { displayUrl, type Target } from "../send/target.ts";
import { exitCode } from "./exit-code.ts";
import { finishRun } from "./finish.ts";
import type { Io } from "./io.ts";
import type { RawOptions } from "./program.ts";
import { parsed, textOf } from "./raw-options.ts";
import { settleRejectsPlaces } from "./rejects-place.ts";
import { openReporter } from "./reporting.ts";
import { settleResultsPlace } from "./results-place.ts";
import { hideInFault } from "./line-secrets.ts";
import { nameRun } from "./run-name.ts";
import { createRedactor } from "./secrets.ts";
import { readSendSettings } from "./send-settings.ts";
import { listenForStop } from "./signals.ts";
import { withTableLock } from "./table-locking.ts";
import { parseDuration } from "./values.ts";
import { readVersion } from "./version.ts";

/** What requests in flight get after a signal, unless `--grace` says otherwise. */
const DEFAULT_GRACE_MS = 25_000;

/** What is sent where, and how it is kept. */
export interface Sending {
  readonly options: RawOptions;
  readonly request: RunRequest;
  /** The options without the config behind them, for the command that pushes mended rejects. */
  readonly line: RawOptions;
  readonly target: Target;
  readonly configs?: readonly ConfigUse[];
  /** What is to be told beforehand. */
  readonly notices?: readonly string[];
  /** `undefined`: nothing is kept. */
  readonly keeping?: Omit<RunKeeping, "nameRun" | "exitCodeOf" | "target"> & {
    readonly runKey: string | undefined;
  };
}

/** Sends files to a table with the table's lock held, and tells what became of them; gives the exit code. */
export async function sendFiles(sending: Sending, io: Io): Promise<number> {
  const { options, request, line, target, configs, keeping, notices = [] } = sending;
  const startedMs = performance.now();
  const graceMs = parsed(options, "grace", parseDuration) ?? DEFAULT_GRACE_MS;
  const waitLockMs = parsed(options, "waitLock", parseDuration) ?? 0;
  const settings = readSendSettings(options, {
    redact: createRedactor(target.secrets()),
    userAgent: `rec-push/${readVersion()}`,
  });
  const rejects = await settleRejectsPlaces(textOf(options, "rejects"), request.files);
  const results = await settleResultsPlace(textOf(options, "results"), request.files, rejects);
  const reporter = await openReporter(options, io, false);
  const stop = listenForStop(io, graceMs, (signal) => {
    const text = `${signal}: no new batch is sent; requests in flight get ${Math.round(graceMs / 1000)} s; a second signal stops at once`;
    reporter.emit({ kind: "notice", notice: { text } });
  });
  const { drain, abort } = stop;
  const url = target.origin + target.path;
  const { table } = target;
  const names = namesOfRuns(keeping?.resumed);
  const run = names.first;
  const pushAll = async (): Promise<RunEnd> => {
    const kept = keeping && {
      ...keeping,
      target: {
        url,
        dbVersion: target.dbVersion ?? null,
        runKey: keeping.runKey ?? null,
        ...(target.queryHash === undefined ? {} : { queries: target.queryHash }),
      },
      nameRun: names.next,
      exitCodeOf: (end: Pick<RunEnd, "counts" | "failure">) => exitCode({ ...end, signal: stop.received() }),
    };
    const openSession = async () => {
      const { createSendSession } = await import("../send/send-session.ts");
      return createSendSession({ target, settings });
    };
    return push(
      {
        ...request,
        spoolIn: keeping?.state.incoming,
        openSession,
        rejects,
        results,
        ...(kept === undefined ? {} : { keeping: kept }),
      },
      { stdin: io.stdin, drain, abort, emit: reporter.emit },
    );
  };
  try {
    reporter.emit({ kind: "run", run, table, url: displayUrl(target), files: request.files, configs });
    for (const text of notices) reporter.emit({ kind: "notice", notice: { text } });
    const end = await withTableLock(keeping?.state, { url, table }, waitLockMs, drain, pushAll);
    const called = { line, merged: options, fields: request.fields };
    return finishRun(reporter, end, { run, startedMs, signal: stop.received(), called });
  } catch (error) {
    throw error instanceof RecPushError ? error : hideInFault(error, target.secrets());
  } finally {
    stop.release();
    reporter.close();
  }
}

/** The first run has the name that was told at the beginning. */
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
