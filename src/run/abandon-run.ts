import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { readJournal } from "../journal/read-journal.ts";
import { RunAccount } from "../journal/run-account.ts";
import { syncDirectory } from "../state/sync-directory.ts";
import { abandonPushed, notePushed } from "../journal/content-index.ts";
import { findRun, findRunName, isOpen } from "../journal/find-runs.ts";
import { readMarks } from "../state/open-marks.ts";
import { OpenRun } from "../journal/open-run.ts";
import { forgetOpen, INPUT_COPY, type StoredRun } from "../journal/run-store.ts";
import { refuseShard } from "./refuse-shard.ts";
import { cannotUse, type StateDirectory } from "../state/state-directory.ts";
import { lockedElsewhere, takeTableLock, type TableLock } from "../state/table-lock.ts";

/** A run that the user has given up. */
export interface AbandonedRun {
  readonly run: string;
  /** True if the service may hold a create of it. */
  readonly hasCreates: boolean;
}

/**
 * Gives a run up while nobody pushes to its table; a damaged journal is moved aside. Throws a usage error if the run is
 * not open.
 */
export async function abandonRun(state: StateDirectory, name: string): Promise<AbandonedRun> {
  let found: StoredRun;
  try {
    found = await findRun(state, name);
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    if (error.code === "journal-damaged") return abandonDamaged(state, await findRunName(state, name));
    if (error.code !== "no-run") throw error;
    const lost = await abandonPushed(state.contents, name);
    const isMarked = (await readMarks(state))?.includes(name) === true;
    if (lost !== undefined || isMarked) await forgetOpen(state, name);
    if (lost !== undefined) return lost;
    if (isMarked) return { run: name, hasCreates: true };
    throw error;
  }
  refuseShard(found.facts);
  const { table, identity } = found.facts;
  return withLock(state, table, identity.url, async (lock) => {
    const stored = await findRun(state, found.run);
    if (!isOpen(stored)) throw notOpen(stored.run);
    const run = await OpenRun.resume({ state, lock }, stored);
    try {
      await run.abandon();
    } finally {
      await run.close();
    }
    return { run: stored.run, hasCreates: run.account.hasCreates };
  });
}

/**
 * Assumes the worst if a damaged journal no longer says what was sent: that the service may hold each of its creates.
 */
async function abandonDamaged(state: StateDirectory, run: string): Promise<AbandonedRun> {
  const directory = join(state.runs, run);
  const path = join(directory, "journal");
  const account = new RunAccount();
  await readJournal(path, (entry, line) => account.take(entry, line)).catch(() => undefined);
  const { facts } = account;
  const putAside = async (): Promise<AbandonedRun> => {
    // If none of it can be read, the entry of its content may say so.
    const lost = facts === undefined ? await abandonPushed(state.contents, run) : undefined;
    const hasCreates = lost?.hasCreates ?? (facts?.totals?.creates ?? 1) > 0;
    if (facts !== undefined) {
      const { identity, startedAt, file } = facts;
      await notePushed(state.contents, identity, { run, startedAt, file, hasCreates, isAbandoned: true });
    }
    try {
      await rename(path, `${path}-damaged`);
      await rm(join(directory, INPUT_COPY), { force: true });
      await syncDirectory(directory);
      await forgetOpen(state, run);
    } catch (cause) {
      throw cannotUse(directory, cause);
    }
    return { run, hasCreates };
  };
  return facts === undefined ? putAside() : withLock(state, facts.table, facts.identity.url, putAside);
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
