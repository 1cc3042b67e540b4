import { randomBytes } from "node:crypto";
import { link, open, readdir, rm, stat } from "node:fs/promises";
import { hostname, uptime } from "node:os";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { isProcessIdentity, isRunning, ownIdentity, type ProcessIdentity } from "./process-identity.ts";
import {
  BEAT_MS,
  EMPTY_NOTE,
  GivenUp,
  type GivenUpWords,
  type HandedOn,
  HeldLock,
  joinGivenUp,
  readNote,
  spellHandedOn,
  type TableLock,
} from "./held-lock.ts";
import type { LineName } from "./log.ts";
import { cannotUse, readOwnFile, type StateDirectory, syncDirectory } from "./state-directory.ts";
import { makeTable, type TableId } from "./table-place.ts";

/** Takes the lock of a table, or says who holds it. Throws a machine error. */
export async function takeTableLock(
  state: StateDirectory,
  { url, queries }: TableId,
): Promise<TableLock | LockHolder> {
  const table: TableId = { url, queries };
  const directory = await makeTable(state, table);
  try {
    return await takeLock(directory, table);
  } catch (cause) {
    throw cannotUse(directory, cause);
  }
}

/**
 * The least number of lines that the journal of a run holds, as the lock of its table says; 0 if it is not known. To be read
 * before the journal. `directory` is the table's.
 */
export async function readJournalLines(directory: string, run: string): Promise<number> {
  const highest = await findHighest(directory).catch(() => 0);
  if (highest === 0) return 0;
  const { journals } = await readContent(join(directory, nameLock(highest))).catch(() => EMPTY);
  return journals.get(run) ?? 0;
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

/** A holder whose process cannot be seen from here counts as gone once it has been silent for this long. */
const SILENT_MS = 5 * 60_000;
/**
 * This is long enough if it has been silent since this machine started: then it ran before that, or on another
 * machine of the same name.
 */
const SILENT_SINCE_START_MS = 60_000;

/** The content of a lock file. */
interface Content extends HandedOn {
  /** `undefined`: the lock was released, or its holder is gone. */
  readonly holder: ProcessIdentity | undefined;
  /** Updates that were given up: those that its holder found, or that it noted when it gave the lock back. */
  readonly givenUp?: GivenUpWords | undefined;
  /** The runs whose updates the holder has begun to send; `undefined` stands for one whose name was not written whole. */
  readonly sending: readonly (string | undefined)[];
  /** True if a power failure has emptied it. */
  readonly isTorn?: boolean;
}

const EMPTY: Content = { holder: undefined, journals: new Map(), book: undefined, sending: [] };
/** The line that an empty book ends with. */
const NO_LINE: LineName = { number: 0, sum: 0 };

/** The holder of a lock, another process. */
export interface LockHolder {
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
    const content = highest === 0 ? await beforeAny(directory) : await readContent(path);
    const { holder, journals, book } = content;
    const draft = join(directory, `${NAME}.draft-${randomBytes(8).toString("hex")}`);
    try {
      // Ages are judged by a single clock, that of the file system.
      const now = await createAt(draft);
      if (holder !== undefined && (await lives(holder, path, now))) return { ...holder, path };
      const givenUp = new GivenUp(await inherit(content, path), now);
      const handedOn = { journals, book };
      const text = `${JSON.stringify({ ...ownIdentity(), ...spellHandedOn(handedOn), ...givenUp.spell() })}\n`;
      await writeSynced(draft, text + EMPTY_NOTE);
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
      return new HeldLock(ownPath, table, mine, text, { ...handedOn, givenUp, wasReleased });
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** What a first lock hands on: that the book is empty, unless there is one. */
async function beforeAny(directory: string): Promise<Content> {
  const hasBook = (await readdir(directory)).includes("book");
  return hasBook ? EMPTY : { ...EMPTY, book: NO_LINE };
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
 * What the last holder leaves to the next. One that was killed may have sent updates until it died, at most one beat after
 * its last; if it had sent none, it leaves what it found.
 */
async function inherit(
  { givenUp, sending, isTorn = false }: Content,
  path: string,
): Promise<GivenUpWords | undefined> {
  const found = givenUp === undefined ? [] : [givenUp];
  if (sending.length === 0 && !isTorn) return joinGivenUp(found);
  const written = await stat(path).catch(() => undefined);
  const at = written === undefined ? Infinity : written.mtimeMs + BEAT_MS;
  const runs = isTorn ? [undefined] : sending;
  return joinGivenUp([...found, ...runs.map((run) => (run === undefined ? { at } : { at, run }))]);
}

/**
 * Reads a lock file. One that names no process was left by a power failure, because the contents are on disk before a
 * file becomes a lock.
 */
async function readContent(path: string): Promise<Content> {
  let text: string;
  try {
    text = await readOwnFile(path);
  } catch (error) {
    // Its successor removed it; the next look finds that one.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return EMPTY;
    throw error;
  }
  const [first = "", ...lines] = text.split("\n");
  try {
    const content = JSON.parse(first) as {
      readonly journals?: Readonly<Record<string, number>>;
      readonly book?: LineName;
      readonly givenUp?: GivenUpWords;
    } | null;
    const noted = readNote(lines[0] ?? "");
    const journals = new Map(Object.entries(content?.journals ?? {}));
    if (noted !== undefined && noted.lines > 0) journals.set(noted.run, noted.lines);
    const holder = isProcessIdentity(content) ? content : undefined;
    const sending = holder === undefined ? [] : lines.filter((line) => line.startsWith("{")).map(readSending);
    return { holder, journals, book: noted?.book ?? content?.book, sending, givenUp: content?.givenUp };
  } catch {
    return { ...EMPTY, isTorn: true };
  }
}

/** A line that was cut still says that something was about to be sent. */
function readSending(line: string): string | undefined {
  try {
    return (JSON.parse(line) as { readonly sending: string }).sending;
  } catch {
    return undefined;
  }
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

/** Creates a file; returns the present time by the clock of its file system. */
async function createAt(path: string): Promise<number> {
  const handle = await open(path, "wx", 0o600);
  try {
    // Some file systems stamp a file when it is written, and not when it is made.
    await handle.writeFile("\n");
    return (await handle.stat()).mtimeMs;
  } finally {
    await handle.close();
  }
}

/** The file is on disk when this resolves, so that it can be linked to its place complete. */
async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
