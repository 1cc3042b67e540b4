import { mkdtempSync, rmdirSync } from "node:fs";
import { lstat, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";

/** A private directory for what does not fit into memory. */
export interface SpoolDirectory {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

const PREFIX = "rec-push-";
/** A running process touches its directory more often than this. */
const ORPHAN_MS = 86_400_000;
const MS_BETWEEN_MARKS = 3_600_000;

/**
 * Creates a directory in `place`, and removes those that killed processes of this user left there. Throws a machine
 * error.
 */
export async function makeSpoolDirectory(place = tmpdir()): Promise<SpoolDirectory> {
  await removeOrphans(place);
  const path = makePrivate(place);
  const mark = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, MS_BETWEEN_MARKS).unref();
  return {
    path,
    remove: async () => {
      clearInterval(mark);
      try {
        // Nearly always it is empty.
        rmdirSync(path);
      } catch {
        await rm(path, { recursive: true, force: true });
      }
    },
  };
}

/** Without a thread, whose answer takes longer to arrive than the directory to be made. */
function makePrivate(place: string): string {
  try {
    return mkdtempSync(join(place, `${PREFIX}${process.pid}-`));
  } catch (cause) {
    throw new RecPushError("machine", "no-spool-directory", `cannot make a directory in ${place}`, {
      hint: place === tmpdir() ? "free space there, or name another place in TMPDIR" : "free space there",
      cause,
    });
  }
}

/** Never fails: if a place cannot be listed, its orphans stay. */
async function removeOrphans(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    const pid = Number(name.startsWith(PREFIX) ? name.slice(PREFIX.length).split("-")[0] : Number.NaN);
    if (!Number.isSafeInteger(pid) || isAlive(pid)) continue;
    // Another process may remove it at the same time, and we may not remove another user's.
    await removeOrphan(join(place, name)).catch(() => undefined);
  }
}

async function removeOrphan(path: string): Promise<void> {
  const { mtimeMs, uid } = await lstat(path);
  if (process.getuid !== undefined && uid !== process.getuid()) return;
  if (Date.now() - mtimeMs > ORPHAN_MS) await rm(path, { recursive: true, force: true });
}

/**
 * False for a directory with our own process number: it is left from an earlier container, in which every process
 * gets the same number.
 */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
