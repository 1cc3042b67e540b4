import { createHash } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RunIdentity } from "./run-facts.ts";
import { cannotUse, type StateDirectory, syncDirectory } from "./state-directory.ts";

/** A table of a service: its address, and the hash of the --query parameters, which may name a tenant. */
export interface TableId extends Pick<RunIdentity, "url"> {
  readonly queries?: string | undefined;
}

/** The directory of its runs in that of a table. */
const RUNS = "runs";
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

/** The directories of all runs by name, the oldest first: a name begins with its time. */
export async function listRuns(state: Pick<StateDirectory, "tables">): Promise<ReadonlyMap<string, string>> {
  const found: [run: string, directory: string][] = [];
  for (const table of await listTables(state))
    for (const run of await runsOfTable(table)) found.push([run, placeOfRun(table, run)]);
  return new Map(found.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The names of the runs that have a directory in that of their table, the oldest first. */
export async function runsOfTable(table: string): Promise<readonly string[]> {
  try {
    return (await readdir(join(table, RUNS))).filter((name) => RUN_NAME.test(name)).sort();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cannotUse(join(table, RUNS), cause);
  }
}

/** Makes the directory of a run; returns it and those whose entries are not on disk yet. */
export async function makeRunDirectory(
  table: string,
  run: string,
): Promise<{ readonly directory: string; readonly unsynced: readonly string[] }> {
  const directory = placeOfRun(table, run);
  try {
    const isFirst = (await mkdir(dirname(directory), { recursive: true, mode: 0o700 })) !== undefined;
    await mkdir(directory, { mode: 0o700 });
    return { directory, unsynced: [directory, dirname(directory), ...(isFirst ? [table] : [])] };
  } catch (cause) {
    throw cannotUse(directory, cause);
  }
}

/** Makes the directory of a table, durably. */
export async function makeTable(state: Pick<StateDirectory, "tables">, table: TableId): Promise<string> {
  const directory = placeOfTable(state, table);
  try {
    await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    // As long as it is empty, a process that was killed may have made it and not brought its name to disk.
    if ((await readdir(directory)).length === 0) await syncDirectory(state.tables);
  } catch (cause) {
    throw cannotUse(directory, cause);
  }
  return directory;
}

/** The directories of all tables. */
export async function listTables({ tables }: Pick<StateDirectory, "tables">): Promise<readonly string[]> {
  const names: readonly string[] = await readdir(tables).catch(() => []);
  return names.map((name) => join(tables, name));
}
