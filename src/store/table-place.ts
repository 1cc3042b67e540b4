import { createHash } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunIdentity } from "./run-facts.ts";
import { cannotUse, type StateDirectory, syncDirectory } from "./state-directory.ts";

/** A table of a service: its address, and the hash of the --query parameters, which may name a tenant. */
export interface TableId extends Pick<RunIdentity, "url"> {
  readonly queries?: string | undefined;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** An address as tables are compared by it: as a URL (WHATWG), with all names of this machine taken as one. */
export function comparedUrl(text: string): string {
  const url = new URL(text);
  if (LOOPBACK.test(url.hostname)) url.hostname = "localhost";
  return url.href;
}

/** The directory of a table: its book, its lock and its prints. */
export function placeOfTable({ tables }: Pick<StateDirectory, "tables">, { url, queries }: TableId): string {
  const text = JSON.stringify([comparedUrl(url), queries ?? null]);
  return join(tables, createHash("sha256").update(text).digest("hex").slice(0, 32));
}

/** Makes the directory of a table, durably. */
export async function makeTable(state: Pick<StateDirectory, "tables">, table: TableId): Promise<string> {
  const directory = placeOfTable(state, table);
  try {
    await mkdir(directory, { mode: 0o700 });
    await syncDirectory(state.tables);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cannotUse(directory, cause);
  }
  return directory;
}

/** The directories of all tables. */
export async function listTables({ tables }: Pick<StateDirectory, "tables">): Promise<readonly string[]> {
  const names: readonly string[] = await readdir(tables).catch(() => []);
  return names.map((name) => join(tables, name));
}
