import { setTimeout as sleep } from "node:timers/promises";
import { interruption, RecPushError } from "../model/failure.ts";
import { dropHold } from "../push/close-plan.ts";
import { bookOf, heldByPlan } from "../store/find-books.ts";
import type { StateDirectory, TableId } from "../store/state-directory.ts";
import type { TableLock } from "../store/held-lock.ts";
import { lockedElsewhere, type LockHolder, takeTableLock } from "../store/table-lock.ts";

const LOOK_EVERY_MS = 1000;

/** A table, and what it is called in messages. */
export interface LockedTable extends TableId {
  readonly table: string;
  /** The plan that the command is about: it holds the table for that. */
  readonly plan?: string | undefined;
  /** The shard of a plan that is to be pushed: the lock is the shard's. */
  readonly shard?: string | undefined;
}

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
    const held = "release" in taken ? await refusalOf(taken, state, locked) : undefined;
    if ("release" in taken && held === undefined) return taken;
    const left = until - performance.now();
    if (left <= 0) throw held ?? lockedElsewhere(shard ?? `the table ${table}`, taken as LockHolder);
    await sleep(Math.min(left, LOOK_EVERY_MS), undefined, { signal: drain }).catch(() => undefined);
  }
}

/** The reason why a lock just taken is not this command's: a plan holds the table. The lock is given back. */
async function refusalOf(
  lock: TableLock,
  state: StateDirectory,
  { table, plan }: LockedTable,
): Promise<RecPushError | undefined> {
  try {
    const { hold } = await bookOf(state, lock.table);
    if (hold === undefined || hold.plan === plan || (await dropHold({ state, lock }, hold))) return undefined;
    await lock.release();
    return heldByPlan(table, hold);
  } catch (error) {
    await lock.release();
    throw error;
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
