import type { ConfigUse } from "../model/event.ts";
import { RecPushError } from "../model/failure.ts";
import type { RunEnd } from "../model/run-end.ts";
import type { RunKeeping } from "../run/start-run.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import type { OptionValues } from "../options/table.ts";
import { push } from "../run/push.ts";
import type { RunRequest } from "../run/run-inputs.ts";
import { displayUrl, type Target } from "../send/target.ts";
import { finishRun } from "./finish.ts";
import type { Io } from "./io.ts";
import { settleRejectsPlaces } from "./rejects-place.ts";
import { openReporter } from "./reporting.ts";
import { settleResultsPlace } from "./results-place.ts";
import { hideInFault } from "./line-secrets.ts";
import { nameRun } from "./run-name.ts";
import { createRedactor } from "./secrets.ts";
import { sendSettingsOf } from "./send-settings.ts";
import { listenForStop } from "./signals.ts";
import { withTableLock } from "./table-locking.ts";
import { readVersion } from "./version.ts";

/** Time for requests in flight after a signal, without `--grace`. */
const DEFAULT_GRACE_MS = 25_000;

/** A push: its files, its target, and the way it is kept. */
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
  /** `undefined`: nothing is kept. */
  readonly keeping?: Omit<RunKeeping, "nameRun" | "target" | "fence"> & {
    readonly runKey: string | undefined;
  };
}

/** Sends files to a table under the table's lock and reports the outcome; gives the exit code. */
export async function sendFiles(sending: Sending, io: Io): Promise<number> {
  const { values, request, line, merged, target, configs, keeping, notices = [] } = sending;
  const startedMs = performance.now();
  const { grace: graceMs = DEFAULT_GRACE_MS, waitLock: waitLockMs = 0 } = values;
  const settings = sendSettingsOf(values, {
    redact: createRedactor(target.secrets()),
    userAgent: `rec-push/${readVersion()}`,
  });
  const rejects = await settleRejectsPlaces(values.rejects, request.files);
  const results = await settleResultsPlace(values.results, request.files, rejects);
  const reporter = await openReporter(values, io, false);
  const stop = listenForStop(io, graceMs, (signal) => {
    const text = `${signal}: no new batch is sent; requests in flight get ${Math.round(graceMs / 1000)} s; a second signal stops at once`;
    reporter.emit({ kind: "notice", notice: { text } });
  });
  const { drain, abort, received } = stop;
  const url = target.origin + target.path;
  const { table } = target;
  const names = namesOfRuns(keeping?.resumed);
  const run = names.first;
  const pushAll = async (fence?: number): Promise<RunEnd> => {
    const kept = keeping !== undefined &&
      fence !== undefined && {
        ...keeping,
        fence,
        target: {
          url,
          dbVersion: target.dbVersion ?? null,
          runKey: keeping.runKey ?? null,
          ...(target.queryHash === undefined ? {} : { queries: target.queryHash }),
        },
        nameRun: names.next,
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
        ...(kept && { keeping: kept }),
      },
      { stdin: io.stdin, drain, abort, received, emit: reporter.emit },
    );
  };
  try {
    reporter.emit({ kind: "run", run, table, url: displayUrl(target), files: request.files, configs });
    for (const text of notices) reporter.emit({ kind: "notice", notice: { text } });
    const end = await (keeping === undefined
      ? pushAll()
      : withTableLock(keeping.state, { url, table }, waitLockMs, drain, pushAll));
    const called = { line, merged, fields: request.fields };
    return finishRun(reporter, end, { run, startedMs, signal: received(), called });
  } catch (error) {
    throw error instanceof RecPushError ? error : hideInFault(error, target.secrets());
  } finally {
    stop.release();
    reporter.close();
  }
}

/** The first run has the name that was shown at the beginning. */
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
