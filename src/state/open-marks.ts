import { createHash } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "./sync-directory.ts";
import { cannotUse, type StateDirectory } from "./state-directory.ts";

/** A run that may be open, and the address of its table. */
export interface MarkedRun {
  readonly run: string;
  readonly url: string;
}

/**
 * Marks a run as open before it begins, so that a new command finds the open runs of its table without reading the
 * others; the mark is on disk when this resolves.
 */
export async function markOpen({ open }: StateDirectory, { run, url }: MarkedRun): Promise<void> {
  try {
    await writeFile(join(open, nameMark({ url, run })), "", { mode: 0o600 });
    await syncDirectory(open);
  } catch (cause) {
    throw cannotUse(open, cause);
  }
}

/** Removes the mark of a run. A mark that a crash leaves behind only costs one look at the run. */
export async function unmarkOpen({ open }: StateDirectory, run: string): Promise<void> {
  try {
    const names = await readdir(open).catch(ignoreAbsent);
    for (const name of names.filter((mark) => mark.endsWith(`.${run}`)))
      await rm(join(open, name), { force: true });
  } catch (cause) {
    throw cannotUse(open, cause);
  }
}

/** Names of the marked runs, of one table or of all. */
export async function readMarks({ open }: StateDirectory, url?: string): Promise<readonly string[]> {
  const names = await readdir(open)
    .catch(ignoreAbsent)
    .catch((cause: unknown) => {
      throw cannotUse(open, cause);
    });
  const table = url === undefined ? undefined : nameTable(url);
  return names
    .map((name) => name.split("."))
    .filter(([of]) => table === undefined || of === table)
    .flatMap(([, run]) => (run === undefined ? [] : [run]))
    .sort();
}

function ignoreAbsent(error: NodeJS.ErrnoException): readonly string[] {
  if (error.code !== "ENOENT") throw error;
  return [];
}

/** The name of a run's mark. */
export function nameMark({ url, run }: MarkedRun): string {
  return `${nameTable(url)}.${run}`;
}

/** The name of a table in the state directory: a hash of its address. */
export function nameTable(url: string): string {
  return createHash("sha256").update(url).digest("hex").slice(0, 32);
}
