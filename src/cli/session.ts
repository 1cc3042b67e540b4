import { randomBytes } from "node:crypto";
import type { BeganEvent } from "../model/event.ts";
import type { RunEnd, StopSignal } from "../model/exit-code.ts";
import type { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { given } from "../options/declaration.ts";
import { readValues } from "../options/read-values.ts";
import type { OptionValues } from "../options/table.ts";
import type { RunControl } from "../push/check.ts";
import { Tally } from "../push/tally-run.ts";
import type { Reporter } from "../report/reporter.ts";
import type { TableLock } from "../store/held-lock.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { finishRun, openReporter } from "./reporting.ts";
import type { Io } from "./run-settings.ts";
import { type LockedTable, withTableLock } from "./table-locking.ts";

/** A command at work: it tells what it does, a signal stops it, and it ends with an exit code. */
export interface Session {
  /** Controls the work itself. */
  readonly control: RunControl;
  /** Reports that the run begins, after these notices. */
  readonly begin: (about: Omit<BeganEvent, "event">, notices?: readonly string[]) => void;
  /** Works with the lock of a table held; `otherwise` ends the command if the lock cannot be had, or on a foreseeable failure. */
  readonly locked: <Result>(
    state: StateDirectory,
    table: LockedTable,
    work: (lock: TableLock) => Promise<Result>,
    otherwise: (failure: RecPushError) => Result | Promise<Result>,
  ) => Promise<Result>;
  /** Reports how the run ended; returns the exit code. */
  readonly finish: (end: RunEnd, run: string) => number;
  /** Ends what is shown during the run, and listens to signals no longer: a person can be asked. */
  readonly close: () => void;
}

/** What a session is opened with. */
interface Opening {
  readonly reporter: Reporter;
  readonly values: OptionValues;
  readonly io: Io;
  /** The time for requests in flight after the first signal, which is then reported; `undefined` if nothing is sent. */
  readonly graceMs?: number;
}

/** Does the work of a command in a session, which is closed in the end. */
export async function inSession<Result>(
  { reporter, values, io, graceMs }: Opening,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const startedMs = performance.now();
  // The summary is the last event: a signal after it changes nothing.
  let isTold = false;
  const stop = listenForStop(io, graceMs ?? 0, (signal) => {
    if (isTold || graceMs === undefined) return;
    const [why, more] =
      io.program === undefined ? [signal, "; a second signal stops at once"] : ["aborted", ""];
    const text = `${why}: no new batch is sent; requests in flight get ${Math.round(graceMs / 1000)} s${more}`;
    reporter.emit({ event: "notice", text });
  });
  const { drain, abort, received } = stop;
  const { emit, caughtUp } = reporter;
  const close = (): void => {
    stop.release();
    reporter.close();
  };
  try {
    return await work({
      control: { stdin: () => io.stdin, drain, abort, received, emit, caughtUp },
      begin(about, notices = []) {
        emit({ event: "run", ...about });
        for (const text of notices) emit({ event: "notice", text });
      },
      locked: (state, table, underLock, otherwise) =>
        withTableLock(state, table, values.waitLock ?? 0, drain, underLock, otherwise),
      finish(end, run) {
        isTold = true;
        return finishRun(reporter, end, { run, startedMs, signal: received() });
      },
      close,
    });
  } finally {
    close();
  }
}

/** The two steps in which a user or a scheduler ends a run. */
interface StopControl extends Pick<RunControl, "drain" | "abort" | "received"> {
  /** Stops listening. */
  readonly release: () => void;
}

/**
 * Listens for stop signals. The first sets `drain`; once `graceMs` are over, or with the second, `abort` is set and cuts off
 * requests in flight.
 */
function listenForStop(io: Io, graceMs: number, onFirst: (signal: StopSignal) => void): StopControl {
  const drain = new AbortController();
  const abort = new AbortController();
  let first: StopSignal | undefined;
  let grace: NodeJS.Timeout | undefined;
  const remove = io.onSignal((signal) => {
    if (first !== undefined) {
      abort.abort();
      return;
    }
    first = signal;
    onFirst(signal);
    drain.abort();
    grace = setTimeout(() => abort.abort(), graceMs);
  });
  return {
    drain: drain.signal,
    abort: abort.signal,
    received: () => first,
    release() {
      remove();
      clearTimeout(grace);
    },
  };
}

/** A name for a run that sorts by time: `20261121-031500-3f9a1c`, in UTC. */
export function nameRun(now: Date = new Date()): string {
  const [date = "", time = ""] = now.toISOString().split(/[T.]/);
  return `${date.replaceAll("-", "")}-${time.replaceAll(":", "")}-${randomBytes(3).toString("hex")}`;
}

/** Reports a failure before the start wherever the options ask for it; returns the exit code. */
export async function tellFailure(
  failure: RecPushError,
  { json, quiet, records, stateDir, logFile, report }: OptionTexts,
  io: Io,
  startedMs: number,
): Promise<number> {
  const open = async (files: OptionTexts): Promise<Reporter> =>
    openReporter(readValues(given({ json, quiet, records, stateDir, progress: false, ...files })), io, false);
  // One of these places may itself be at fault.
  const reporter = await open({ logFile, report })
    .catch(() => open({ logFile }))
    .catch(() => open({}));
  return finishRun(reporter, notStarted(failure), { run: "", startedMs, signal: undefined });
}

/** The ending of a command that read nothing, with what stopped it. */
export function notStarted(failure: RecPushError | undefined): RunEnd {
  return new Tally().end([], failure);
}
