import { RecPushError } from "../model/failure.ts";
import type { GivenUp } from "./given-up.ts";
import type { HeldLock } from "./held-lock.ts";
import { takeLock, type LockHolder } from "./lock.ts";
import { nameTable } from "./open-marks.ts";
import { cannotUse } from "./state-directory.ts";

/**
 * For parts of the state, by name: how much each held when an earlier holder of the lock saw it, and how much it
 * holds now.
 */
export type KnownCounts = Map<string, number>;

/** The lock of a table, held by this process. */
export interface TableLock {
  /** Grows with each holder. */
  readonly fence: number;
  readonly known: KnownCounts;
  /** Updates that may still land, of this command and those before it. */
  readonly givenUp: GivenUp;
  /** To be awaited before an update of this run is sent; what a killed holder leaves is judged by it. */
  readonly noteSending: (run: string) => Promise<void>;
  /** Throws a locked error if another process has taken the lock; a machine error if that cannot be determined. */
  readonly check: () => Promise<void>;
  /** The same, but looks only if the last look is more than a second ago: this process may have been paused since. */
  readonly checkAfterGap: () => Promise<void>;
  readonly release: () => Promise<void>;
}

/**
 * Takes the lock of a target's table, or says who holds it; `name` is the table's name in the state. Throws a machine
 * error.
 */
export async function takeTableLock(
  locks: string,
  url: string,
  name = nameTable(url),
): Promise<TableLock | LockHolder> {
  let taken: HeldLock | LockHolder;
  try {
    taken = await takeLock(locks, name);
  } catch (cause) {
    throw cannotUse(locks, cause);
  }
  if (!("release" in taken)) return taken;
  const lock = taken;
  const orThrow = async (look: () => Promise<boolean>): Promise<void> => {
    const isHeld = await look().catch((cause: unknown) => {
      throw cannotUse(locks, cause);
    });
    if (!isHeld) throw lockLost(url);
  };
  return {
    fence: lock.fence,
    known: lock.known,
    givenUp: lock.givenUp,
    noteSending: (run) =>
      lock.noteSending(run).catch((cause: unknown) => {
        throw cannotUse(locks, cause);
      }),
    check: () => orThrow(() => lock.isHeld()),
    checkAfterGap: () => orThrow(() => lock.isHeldAfterGap()),
    release: () => lock.release(),
  };
}

function lockLost(url: string): RecPushError {
  return new RecPushError(
    "locked",
    "lock-lost",
    `this process has lost the lock of the table ${url}: it was silent for minutes, and another process has pushed there since; nothing more is sent`,
    {
      hint: "rec-push runs says how to go on; when the other process has ended, run the same command again",
    },
  );
}

/** The error if another process holds the lock of `what`. */
export function lockedElsewhere(what: string, { pid, host, path }: LockHolder): RecPushError {
  return new RecPushError(
    "locked",
    "table-in-use",
    `another run is pushing to ${what} (process ${pid} on ${host}); nothing was sent`,
    {
      hint: `run the command again when it has ended, or let it wait: --wait-lock 10m (the lock is ${path})`,
    },
  );
}
