import { randomBytes } from "node:crypto";
import { link, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { hostname, uptime } from "node:os";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "./process-identity.ts";
import {
  BEAT_MS,
  GivenUp,
  type GivenUpAt,
  HeldLock,
  type LockState,
  spellState,
  type TableLock,
} from "./held-lock.ts";
import {
  makeTable,
  orCannotUse,
  type StateDirectory,
  syncDirectory,
  type TableId,
} from "./state-directory.ts";

/** Takes the lock of a table, or says who holds it. Throws a machine error. */
export async function takeTableLock(
  state: StateDirectory,
  { url, queries }: TableId,
): Promise<TableLock | LockHolder> {
  const table: TableId = { url, queries };
  const directory = await makeTable(state, table);
  return orCannotUse(directory, () => takeLock(directory, table));
}

/**
 * Runs `work` with the lock of a table held, which messages call `what`; its book need not be readable. Throws a locked error
 * if another process has it.
 */
export async function underLock<Result>(
  state: StateDirectory,
  table: TableId,
  what: string,
  work: (lock: TableLock) => Promise<Result>,
): Promise<Result> {
  const lock = await takeTableLock(state, table);
  if (!("release" in lock)) throw lockedElsewhere(what, lock);
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}

/**
 * The least number of lines that the journal of a run holds, as the lock of its table says; 0 if it is not known. To be read
 * before the journal. `directory` is the table's.
 */
export async function readJournalLines(directory: string, run: string): Promise<number> {
  const highest = await findHighest(directory).catch(() => 0);
  if (highest === 0) return 0;
  const { journals } = await readState(join(directory, nameLock(highest))).catch((): LockState => ({}));
  return journals?.[run] ?? 0;
}

/** The error if another process holds the lock of `what`. */
export function lockedElsewhere(what: string, { pid, host, path }: LockHolder): RecPushError {
  return new RecPushError(
    "table-in-use",
    `another run is pushing to ${what} (process ${pid} on ${host}); nothing was sent`,
    {
      hint: `run the command again when it has ended, or let it wait: --wait-lock 10m (the lock is ${path})`,
    },
  );
}

/** A holder whose process cannot be seen from here counts as gone after so long without a write. */
const SILENT_MS = 5 * 60_000;
/**
 * A shorter limit for a holder that has not written since this machine booted: it ran before that, or on another machine of
 * the same name.
 */
const SILENT_SINCE_START_MS = 60_000;

/** The holder of a lock, another process. */
interface LockHolder {
  readonly pid: number;
  readonly host: string;
  readonly path: string;
}

/**
 * Takes the lock in the directory of a table, or says who holds it; throws what node:fs throws. Each attempt creates
 * the file with the next number, which only one process can do (link(2)); the highest number is the lock. A file is
 * never removed while it is the highest, so that a process that judged an earlier holder as gone cannot take the lock
 * from that holder's successor.
 */
async function takeLock(directory: string, table: TableId): Promise<HeldLock | LockHolder> {
  for (;;) {
    const highest = await findHighest(directory);
    const path = join(directory, nameLock(highest));
    const found = highest === 0 ? await beforeAny(directory) : await readState(path);
    const { holder, journals, book } = found;
    const draft = join(directory, `${NAME}.draft-${randomBytes(8).toString("hex")}`);
    const handle = await open(draft, "wx", 0o600);
    let lock: HeldLock | undefined;
    try {
      // Some file systems stamp a file when it is written, and not when it is made.
      await handle.writeFile("\n");
      // Ages are judged by a single clock, that of the file system.
      const now = (await handle.stat()).mtimeMs;
      if (holder !== undefined && (await lives(holder, path, now))) return { ...holder, path };
      const givenUp = new GivenUp(await inherit(found, path), now);
      const state = { holder: ownIdentity(), journals, book, ...givenUp.spell() };
      const line = spellState(state);
      await handle.writeFile(line);
      await handle.sync();
      const mine = highest + 1;
      const ownPath = join(directory, nameLock(mine));
      if (!(await linked(draft, ownPath))) continue;
      // If this process saw an outdated state, the number that it has just created may no longer be the highest.
      if ((await findHighest(directory)) !== mine) {
        await rm(ownPath, { force: true });
        continue;
      }
      // Before the lower locks are removed: after a power failure there must be one of them, or none at all.
      await syncDirectory(directory);
      await removeBelow(directory, mine);
      const wasReleased = holder === undefined;
      const file = { handle, size: 1 + line.length };
      lock = new HeldLock(ownPath, table, mine, file, state, { givenUp, wasReleased });
      return lock;
    } finally {
      await rm(draft, { force: true });
      if (lock === undefined) await handle.close();
    }
  }
}

/** The state that a first lock hands on: the book is empty, unless there is one. */
async function beforeAny(directory: string): Promise<LockState> {
  const hasBook = (await readdir(directory)).includes("book");
  return hasBook ? {} : { book: { number: 0, sum: 0 } };
}

async function lives(holder: ProcessIdentity, path: string, now: number): Promise<boolean> {
  const seen = isRunning(holder);
  if (seen !== "unknown") return seen;
  const beaten = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  // Its successor removed it; the next look finds that one.
  if (beaten === undefined) return false;
  const silentMs = now - beaten.mtimeMs;
  const sinceStartMs =
    holder.host === hostname() ? Math.max(uptime() * 1000, SILENT_SINCE_START_MS) : SILENT_MS;
  return silentMs < Math.min(SILENT_MS, sinceStartMs);
}

/**
 * The state that the last holder leaves to the next. A killed holder may have sent updates until it died, at most one beat
 * after its last; if it had sent none, it leaves the state that it found.
 */
async function inherit({ givenUp = {}, holder, sending = [] }: LockState, path: string): Promise<GivenUpAt> {
  if (holder === undefined || sending.length === 0) return givenUp;
  const written = await stat(path).catch(() => undefined);
  const at = written === undefined ? Infinity : written.mtimeMs + BEAT_MS;
  return { ...givenUp, ...Object.fromEntries(sending.map((run) => [run, at])) };
}

async function readState(path: string): Promise<LockState> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    // Its successor removed it; the next look finds that one.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
  for (const line of text.split("\n").reverse()) {
    try {
      return JSON.parse(line) as LockState;
    } catch {
      // It was cut off.
    }
  }
  return {};
}

const NAME = "lock";

function nameLock(number: number): string {
  return `${NAME}.${number}`;
}

async function findHighest(directory: string): Promise<number> {
  return Math.max(0, ...(await readdir(directory)).map(numberOf));
}

/** The number of a lock file, 0 for any other file. */
function numberOf(entry: string): number {
  const text = entry.startsWith(`${NAME}.`) ? entry.slice(NAME.length + 1) : "";
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

async function removeBelow(directory: string, mine: number): Promise<void> {
  for (const entry of await readdir(directory)) {
    const number = numberOf(entry);
    if (number > 0 && number < mine) await rm(join(directory, entry), { force: true });
  }
}
