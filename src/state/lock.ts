import { randomBytes } from "node:crypto";
import { link, open, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { ProcessIdentity } from "../model/process-identity.ts";
import { replaceFile } from "./atomic-file.ts";
import { syncDirectory } from "./sync-directory.ts";
import { isProcessIdentity, isRunning, ownIdentity } from "./process-identity.ts";

/** The holder says so often that it lives, for those who cannot see its process: another machine or container. */
const BEAT_MS = 20_000;
/** Such a holder that has been silent for so long is gone. */
const SILENT_MS = 5 * 60_000;

/** The content of a lock file; `null`: the lock was given back, or its holder is gone. */
type Holder = ProcessIdentity | null;

/** A lock that is held. */
export interface Lock {
  /** Grows with each holder, also over crashes and power failures: of two holders the later one has the higher. */
  readonly fence: number;
  readonly release: () => Promise<void>;
}

/** The holder of a lock. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  readonly path: string;
}

/**
 * Takes the lock of that name in a directory, or says who holds it; throws what node:fs throws. Each taking makes the file
 * with the next number, which only one process can (link(2)); the highest number is the lock. A file is never taken away
 * while it is the highest, so that nobody who judged an earlier holder as gone can take the lock from its successor.
 */
export async function takeLock(locks: string, name: string): Promise<Lock | LockHolder> {
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
      // If this process saw an older state, the number that it has just made may be long past.
      if ((await findHighest(locks, name)) !== mine) {
        await rm(join(locks, `${name}.${mine}`), { force: true });
        continue;
      }
      // Before the locks below go: after a power failure one of them must be there, or none.
      await syncDirectory(locks);
      await removeBelow(locks, name, mine);
      return hold(join(locks, `${name}.${mine}`), mine);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

function hold(path: string, fence: number): Lock {
  const beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), BEAT_MS);
  beat.unref();
  return {
    fence,
    async release() {
      clearInterval(beat);
      // On a full disk the lock ends with the process.
      await replaceFile(path, "null").catch(() => undefined);
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

/** It is on disk when this resolves, so that it can be linked to its place whole. */
async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
