import { createHash, randomBytes } from "node:crypto";
import { link, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import { syncDirectory } from "./sync-directory.ts";
import { writeSynced } from "./write-synced.ts";
import { isProcessIdentity, isRunning, ownIdentity } from "./process-identity.ts";
import { cannotUse } from "./state-directory.ts";

/** The holder says so often that it lives, for those who cannot see its process: another machine or container. */
const BEAT_MS = 20_000;
/** Such a holder that has been silent for so long is gone. */
const SILENT_MS = 5 * 60_000;

/** What a lock file says; `null`: it was given back, or its holder is gone. */
type Holder = ProcessIdentity | null;

/** A lock that is held. */
export interface TableLock {
  readonly release: () => Promise<void>;
}

/** Who holds a lock. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  readonly path: string;
}

/**
 * Takes the lock of a target's table, or says who holds it. Each taking makes the file with the next number, which only
 * one process can (link(2)); the highest number is the lock. A file is never taken away while it is the highest, so that
 * nobody who judged an earlier holder as gone can take the lock from its successor.
 */
export async function takeTableLock(locks: string, url: string): Promise<TableLock | LockHolder> {
  const name = createHash("sha256").update(url).digest("hex").slice(0, 32);
  const draft = join(locks, `${name}.draft-${randomBytes(8).toString("hex")}`);
  try {
    await writeSynced(draft, JSON.stringify(ownIdentity()));
    const now = (await stat(draft)).mtimeMs;
    for (;;) {
      const highest = await findHighest(locks, name);
      const path = join(locks, `${name}.${highest}`);
      const holder = highest === 0 ? null : await readHolder(path);
      if (holder !== null && (await lives(holder, path, now))) return { ...holder, path };
      const mine = highest + 1;
      if (!(await linked(draft, join(locks, `${name}.${mine}`)))) continue;
      // Whoever saw an older state than this may have made a number that is long past.
      if ((await findHighest(locks, name)) !== mine) {
        await rm(join(locks, `${name}.${mine}`), { force: true });
        continue;
      }
      // Before the locks below go: after a power failure one of them must be there, or none.
      await syncDirectory(locks);
      await removeBelow(locks, name, mine);
      return hold(join(locks, `${name}.${mine}`));
    }
  } catch (cause) {
    throw cannotUse(locks, cause);
  } finally {
    await rm(draft, { force: true });
  }
}

function hold(path: string): TableLock {
  const beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), BEAT_MS);
  beat.unref();
  return {
    async release() {
      clearInterval(beat);
      const free = `${path}.free-${randomBytes(8).toString("hex")}`;
      try {
        await writeSynced(free, "null");
        await rename(free, path);
      } catch {
        // On a full disk the lock ends with the process.
        await rm(free, { force: true });
      }
    },
  };
}

async function lives(holder: ProcessIdentity, path: string, now: number): Promise<boolean> {
  const seen = isRunning(holder);
  if (seen !== "unknown") return seen;
  const { mtimeMs } = await stat(path);
  return now - mtimeMs < SILENT_MS;
}

/** A file that names no process is left by a power failure: its contents are on disk before it becomes a lock. */
async function readHolder(path: string): Promise<Holder> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    // Its successor took it away; the next look finds that one.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    const holder: unknown = JSON.parse(text);
    return isProcessIdentity(holder) ? holder : null;
  } catch {
    return null;
  }
}

async function findHighest(locks: string, name: string): Promise<number> {
  const numbers = (await readdir(locks)).map((entry) => numberOf(entry, name));
  return Math.max(0, ...numbers);
}

/** The number of a lock file of that name, 0 for any other file. */
function numberOf(entry: string, name: string): number {
  const text = entry.startsWith(`${name}.`) ? entry.slice(name.length + 1) : "";
  return /^\d+$/.test(text) ? Number(text) : 0;
}

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function removeBelow(locks: string, name: string, mine: number): Promise<void> {
  for (const entry of await readdir(locks)) {
    const number = numberOf(entry, name);
    if (number > 0 && number < mine) await rm(join(locks, entry), { force: true });
  }
}

/** What is thrown where another process holds the lock. */
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
