import { createHash } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunIdentity } from "./run-facts.ts";
import { makeDirectory, orCannotUse, type StateDirectory } from "./state-directory.ts";

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
