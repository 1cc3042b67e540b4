import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { mkdir, open, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { RunIdentity } from "./run-facts.ts";

/** The places of everything that outlives a command. Directories are 0700, files 0600. */
export interface StateDirectory {
  readonly root: string;
  /** One directory per table: its book, its lock, its runs and the fingerprints of their creates. */
  readonly tables: string;
  /** Standard input until its run is certain. */
  readonly incoming: string;
}

/** Names the places and creates them. Throws a machine error if that fails, or if others could have written part of the state. */
export async function openStateDirectory(root: string): Promise<StateDirectory> {
  const place = placesIn(root);
  await orCannotUse(root, async () => {
    for (const directory of Object.values(place)) await makePath(directory);
    // As long as no table is there, a power failure could lose the names, whichever process made them.
    if ((await readdir(place.tables)).length === 0)
      for (let at = root; dirname(at) !== at; at = dirname(at))
        // It may be writable without being readable.
        await syncDirectory(at).catch(() => undefined);
    for (const directory of Object.values(place))
      await orCannotUse(directory, async () => refuseForeign(await stat(directory)));
    await refuseEarlierForm(root);
  });
  return place;
}

/**
 * Throws a machine error if runs lie beside the tables: they are of an earlier build, and their creates would be unknown
 * here.
 */
export async function refuseEarlierForm(root: string): Promise<void> {
  const runs = await stat(join(root, "runs")).catch(() => undefined);
  if (runs?.isDirectory() !== true) return;
  throw new RecPushError(
    "state-directory",
    `${join(root, "runs")} holds runs of an earlier build, which this one does not read; nothing was sent, because records could be created twice`,
    {
      hint: "finish them with that build and move the directory away; then say which records without key are there: rec-push ledger add FILE --table NAME",
    },
  );
}

/** Like mkdir with `recursive`, which in Node never returns if a file system cannot create directories, as /proc. */
async function makePath(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  if (dirname(path) !== path) await makePath(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch(async (cause: NodeJS.ErrnoException) => {
    // Another process that starts now may have made it.
    if (cause.code !== "EEXIST" || !(await isDirectory(path))) throw cause;
  });
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Names the places without creating them. */
export function placesIn(root: string): StateDirectory {
  return { root, tables: join(root, "tables"), incoming: join(root, "incoming") };
}

/**
 * The error for a state directory, or a part of it, that cannot be used. Another place is never advised: what is kept here may
 * only be out of reach, as behind a link to a disk that is not mounted.
 */
export function cannotUse(path: string, cause: unknown): RecPushError {
  if (cause instanceof RecPushError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RecPushError("state-directory", `the state directory ${path} cannot be used: ${reason}`, {
    hint: MEND_PLACE,
    cause,
  });
}

/** Works on a part of the state; failures of node:fs become the error for a part that cannot be used. */
export async function orCannotUse<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw cannotUse(path, cause);
  }
}

/**
 * The error for a part of the state that is damaged or lost, as `what` says. `ways` lead on; each begins
 * with "or" if a backup of the part alone helps, which is then named before them.
 */
export function damagedState(
  what: string,
  ways: string,
  {
    place,
    backupHelps = true,
  }: { readonly place?: RecPushError["place"]; readonly backupHelps?: boolean } = {},
): RecPushError {
  const restore = "restore it from the newest backup, then run the same command again\n";
  return new RecPushError(
    "state-damaged",
    `${what}: it is no longer certain which records without key were created; until it is, the table gets no new ones`,
    { hint: `${backupHelps ? restore : ""}${ways}`, place },
  );
}

/** The advice that makes a place of the state usable again. */
const MEND_PLACE =
  "make it a directory that this user may write into (mount what a link points to, move away what is in its place, chown, chmod u+w), then run the same command again; with another --state-dir it would not know what was sent before, and records could be created twice";

/**
 * Writes the names in a directory to disk, so that a new file survives a power failure (fsync(2)). Windows has no such call for
 * directories and refuses it; its file system keeps an account of names itself.
 */
export async function syncDirectory(
  directory: string,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Makes a directory (0700) in one that is there; its name is on disk when this resolves. As long as it is empty, a process that was
 * killed may have made it and not brought its name to disk. Throws what node:fs throws.
 */
export async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  if ((await readdir(path)).length === 0) await syncDirectory(dirname(path));
}

/** Reads a file in a directory that others may write into. Throws if another user could have written it; otherwise the error of node:fs. */
export async function readOwnFile(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    refuseForeign(await handle.stat());
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Throws if a part of the state belongs to another user, or if others may write to it. */
function refuseForeign({ uid, mode }: Stats): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  if (uid !== own) throw new Error(`it belongs to another user (${uid}; this process runs as ${own})`);
  if ((mode & 0o022) !== 0) throw new Error("others may write into it; chmod go-w makes it private");
}

/** A table of a service: its address, and the hash of the --query parameters, which may name a tenant. */
export interface TableId extends Pick<RunIdentity, "url"> {
  readonly queries?: string | undefined;
}

/** The directory of its runs in that of a table. */
const RUNS = "runs";
/** The directory of the fingerprints of its creates. */
const PRINTS = "prints";
const RUN_NAME = /^\d{8}-\d{6}-[0-9a-f]+$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** An address as tables are compared by it: as a URL (WHATWG), with all names of this machine taken as one. */
function comparedUrl(text: string): string {
  const url = new URL(text);
  if (LOOPBACK.test(url.hostname)) url.hostname = "localhost";
  return url.href;
}

/** The directory of a table: its book, its lock and its prints. */
export function placeOfTable({ tables }: Pick<StateDirectory, "tables">, { url, queries }: TableId): string {
  const text = JSON.stringify([comparedUrl(url), queries ?? null]);
  return join(tables, createHash("sha256").update(text).digest("hex").slice(0, 32));
}

/** The directory of a run, in that of its table. */
export function placeOfRun(table: string, run: string): string {
  return join(table, RUNS, run);
}

/** A file of fingerprints, in the directory of its table. */
export function placeOfPrints(table: string, name: string): string {
  return join(table, PRINTS, name);
}

/** The names of the runs that have a directory in that of their table, the oldest first. */
export async function runsOfTable(table: string): Promise<readonly string[]> {
  const names: readonly string[] = await readdir(join(table, RUNS)).catch(() => []);
  return names.filter((name) => RUN_NAME.test(name)).toSorted();
}

/** Makes the directory of a table, durably. The names of those in it get to disk with that of the table's lock. */
export async function makeTable(state: Pick<StateDirectory, "tables">, table: TableId): Promise<string> {
  const directory = placeOfTable(state, table);
  await orCannotUse(directory, async () => {
    await makeDirectory(directory);
    for (const name of [RUNS, PRINTS]) await mkdir(join(directory, name), { recursive: true, mode: 0o700 });
  });
  return directory;
}

/** The directories of all tables. */
export async function listTables({ tables }: Pick<StateDirectory, "tables">): Promise<readonly string[]> {
  const names: readonly string[] = await readdir(tables).catch(() => []);
  return names.map((name) => join(tables, name));
}
