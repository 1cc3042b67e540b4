import { holdsUnmended } from "../finish/holds-unmended.ts";
import { notePlace } from "../finish/kept-place.ts";
import type { StoredRun } from "../journal/run-store.ts";
import { countToMend } from "../journal/summarise-run.ts";
import { RecPushError } from "../model/failure.ts";
import { findRun, isOpen } from "../journal/find-runs.ts";
import { OpenRun } from "../journal/open-run.ts";
import { refuseShard } from "./refuse-shard.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { lockedElsewhere, takeTableLock, type TableLock } from "../state/table-lock.ts";

/** A run that the user has given up. */
export interface AbandonedRun {
  readonly run: string;
  /** True if the service may hold a create of it. */
  readonly hasCreates: boolean;
  /** The rows to be mended that were given up of a run that had nothing else left. */
  readonly rows?: number;
}

/**
 * Gives a run up while nobody pushes to its table: what it has not sent, or only the rows that are still to be mended.
 * Throws a usage error if nothing of it is left, and a machine error if its journal is lost or damaged: then it is not known
 * what it created.
 */
export async function abandonRun(state: StateDirectory, name: string): Promise<AbandonedRun> {
  const found = await findRun(state, name);
  refuseShard(found.facts);
  const { table, identity } = found.facts;
  return withLock(state, table, identity.url, async (lock) => {
    const stored = await findRun(state, found.run);
    if (!isOpen(stored)) return giveUpRows(state, stored);
    const run = await OpenRun.resume({ state, lock }, stored);
    try {
      await run.abandon();
    } finally {
      await run.close();
    }
    return { run: stored.run, hasCreates: run.account.hasCreates };
  });
}

async function giveUpRows(state: StateDirectory, stored: StoredRun): Promise<AbandonedRun> {
  if (!(await holdsUnmended(state, stored))) throw notOpen(stored.run);
  await notePlace(stored.directory, { rowsSettled: true });
  return { run: stored.run, hasCreates: stored.account.hasCreates, rows: countToMend(stored) };
}

/** Runs `work` with the lock of a table held. Throws if another process has it. */
export async function withLock<Result>(
  state: StateDirectory,
  table: string,
  url: string,
  work: (lock: TableLock) => Promise<Result>,
): Promise<Result> {
  const lock = await takeTableLock(state.locks, url);
  if (!("release" in lock)) throw lockedElsewhere(`the table ${table}`, lock);
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}

function notOpen(run: string): RecPushError {
  return new RecPushError("usage", "not-open", `the run ${run} is not open: nothing is left to give up`);
}
