import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { BeganEvent } from "../model/event.ts";
import type { RunEnd, StopSignal } from "../model/exit-code.ts";
import { interruption, RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { given } from "../options/declaration.ts";
import { readValues } from "../options/read-values.ts";
import type { OptionValues } from "../options/table.ts";
import type { RunControl } from "../push/check.ts";
import { dropHold } from "../push/close-plan.ts";
import { Tally } from "../push/tally-run.ts";
import type { Reporter } from "../report/reporter.ts";
import { bookOf, heldByPlan } from "../store/find-books.ts";
import type { TableLock } from "../store/held-lock.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { lockedElsewhere, takeTableLock } from "../store/table-lock.ts";
import { finishRun, openReporter } from "./reporting.ts";
import type { Io } from "./run-settings.ts";

/** A command at work: it tells what it does, a signal stops it, and it ends with an exit code. */
interface Session {
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

/**
 * Does the work of a command in a session, which is closed in the end. The first stop signal sets `drain`; once `graceMs` are
 * over, or with the second, `abort` is set and cuts off requests in flight.
 */
export async function inSession<Result>(
  { reporter, values, io, graceMs }: Opening,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const startedMs = performance.now();
  const { emit, caughtUp } = reporter;
  // The summary is the last event: a signal after it changes nothing.
  let isTold = false;
  const drain = new AbortController();
  const abort = new AbortController();
  let first: StopSignal | undefined;
  let grace: NodeJS.Timeout | undefined;
  const remove = io.onSignal((signal) => {
    if (first !== undefined) return abort.abort();
    first = signal;
    if (!isTold && graceMs !== undefined) {
      const [why, more] =
        io.program === undefined ? [signal, "; a second signal stops at once"] : ["aborted", ""];
      const text = `${why}: no new batch is sent; requests in flight get ${Math.round(graceMs / 1000)} s${more}`;
      emit({ event: "notice", text });
    }
    drain.abort();
    grace = setTimeout(() => abort.abort(), graceMs ?? 0);
  });
  const received = (): StopSignal | undefined => first;
  const close = (): void => {
    remove();
    clearTimeout(grace);
    reporter.close();
  };
  try {
    return await work({
      control: { stdin: () => io.stdin, drain: drain.signal, abort: abort.signal, received, emit, caughtUp },
      begin(about, notices = []) {
        emit({ event: "run", ...about });
        for (const text of notices) emit({ event: "notice", text });
      },
      locked: (state, table, underLock, otherwise) =>
        withTableLock(state, table, values.waitLock ?? 0, drain.signal, underLock, otherwise),
      finish(end, run) {
        isTold = true;
        return finishRun(reporter, end, { run, startedMs, signal: first });
      },
      close,
    });
  } finally {
    close();
  }
}

/** A name for a run that sorts by time: `20261121-031500-3f9a1c`, in UTC. */
export function nameRun(): string {
  const [date = "", time = ""] = new Date().toISOString().split(/[T.]/);
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

const LOOK_EVERY_MS = 1000;

/** A table, and what it is called in messages. */
type LockedTable = TableLock["table"] & {
  readonly table: string;
  /** The plan that the command is about: it holds the table for that. */
  readonly plan?: string | undefined;
  /** The shard of a plan that is to be pushed: the lock is the shard's. */
  readonly shard?: string | undefined;
};

/** Takes the lock of a table, waiting for at most `waitMs`. Throws if another run holds it, or on a signal. */
async function lockTable(
  state: StateDirectory,
  locked: LockedTable,
  waitMs: number,
  drain: AbortSignal,
): Promise<TableLock> {
  const { table, shard } = locked;
  const until = performance.now() + waitMs;
  for (;;) {
    if (drain.aborted) throw interruption();
    const taken = await takeTableLock(state, locked);
    const refusal =
      "release" in taken
        ? await refusalOf(taken, state, locked)
        : lockedElsewhere(shard ?? `the table ${table}`, taken);
    if ("release" in taken && refusal === undefined) return taken;
    const left = until - performance.now();
    if (left <= 0) throw refusal;
    await sleep(Math.min(left, LOOK_EVERY_MS), undefined, { signal: drain }).catch(() => undefined);
  }
}

/** The reason why a lock just taken is not this command's: a plan holds the table. The lock is given back. */
async function refusalOf(
  lock: TableLock,
  state: StateDirectory,
  { table, plan }: LockedTable,
): Promise<RecPushError | undefined> {
  let isOurs = false;
  try {
    const { hold } = await bookOf(state, lock.table);
    isOurs = hold === undefined || hold.plan === plan || (await dropHold({ state, lock }, hold));
    return isOurs ? undefined : heldByPlan(table, hold!);
  } finally {
    if (!isOurs) await lock.release();
  }
}

/**
 * Runs `work` with the lock of a table held; `otherwise` ends the command if another run holds the lock, or on a
 * foreseeable failure, which is thrown without it.
 */
export async function withTableLock<T>(
  state: StateDirectory,
  target: LockedTable,
  waitMs: number,
  drain: AbortSignal,
  work: (lock: TableLock) => Promise<T>,
  otherwise?: (failure: RecPushError) => T | Promise<T>,
): Promise<T> {
  try {
    const lock = await lockTable(state, target, waitMs, drain);
    try {
      return await work(lock);
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (otherwise !== undefined && error instanceof RecPushError) return otherwise(error);
    throw error;
  }
}
