import { RecPushError } from "../model/failure.ts";
import { takeLock, type Lock, type LockHolder } from "./lock.ts";
import { nameTable } from "./open-marks.ts";
import { cannotUse } from "./state-directory.ts";

/** Takes the lock of a target's table, or says who holds it. Throws a machine error. */
export async function takeTableLock(locks: string, url: string): Promise<Lock | LockHolder> {
  try {
    return await takeLock(locks, nameTable(url));
  } catch (cause) {
    throw cannotUse(locks, cause);
  }
}

/** The error if another process holds the lock. */
export function lockedElsewhere(table: string, { pid, host, path }: LockHolder): RecPushError {
  return new RecPushError(
    "locked",
    "table-in-use",
    `another run is pushing to the table ${table} (process ${pid} on ${host}); nothing was sent`,
    {
      hint: `run the command again when it has ended, or let it wait: --wait-lock 10m (the lock is ${path})`,
    },
  );
}
