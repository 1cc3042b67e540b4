import { setTimeout as sleep } from "node:timers/promises";
import { RecPushError } from "../model/failure.ts";
import { interruption } from "../model/interruption.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { lockedElsewhere, takeTableLock, type TableLock } from "../state/table-lock.ts";

const LOOK_EVERY_MS = 1000;

/** Takes the lock of a table, waiting for at most `waitMs`. Throws if another run holds it, or on a signal. */
async function lockTable(
  locks: string,
  { url, table }: { readonly url: string; readonly table: string },
  waitMs: number,
  drain: AbortSignal,
): Promise<TableLock> {
  const until = performance.now() + waitMs;
  for (;;) {
    if (drain.aborted) throw interruption();
    const taken = await takeTableLock(locks, url);
    if ("release" in taken) return taken;
    const left = until - performance.now();
    if (left <= 0) throw lockedElsewhere(table, taken);
    await sleep(Math.min(left, LOOK_EVERY_MS), undefined, { signal: drain }).catch(() => undefined);
  }
}

/**
 * Runs `work` with the lock of a table held; `otherwise` ends the command if another run holds the lock, or on a
 * foreseeable failure.
 */
export async function withTableLock<T>(
  state: StateDirectory,
  target: { readonly url: string; readonly table: string },
  waitMs: number,
  drain: AbortSignal,
  work: (lock: TableLock) => Promise<T>,
  otherwise: (failure: RecPushError) => T | Promise<T>,
): Promise<T> {
  try {
    const lock = await lockTable(state.locks, target, waitMs, drain);
    try {
      return await work(lock);
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (error instanceof RecPushError) return otherwise(error);
    throw error;
  }
}
