import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
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

/** Names of the marked runs, of one table or of all; `undefined` in a state directory of an earlier version. */
export async function readMarks(
  { open }: StateDirectory,
  url?: string,
): Promise<readonly string[] | undefined> {
  let names: readonly string[];
  try {
    names = await readdir(open);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cannotUse(open, cause);
  }
  const table = url === undefined ? undefined : nameTable(url);
  return names
    .map((name) => name.split("."))
    .filter(([of]) => table === undefined || of === table)
    .flatMap(([, run]) => (run === undefined ? [] : [run]))
    .sort();
}

/** Marks the open runs of a state directory that has no marks yet: all of them or, after a crash, none. */
export async function makeMarks({ root, open }: StateDirectory, runs: readonly MarkedRun[]): Promise<void> {
  const draft = `${open}-${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(draft, { mode: 0o700 });
    for (const { run, url } of runs)
      await writeFile(join(draft, nameMark({ url, run })), "", { mode: 0o600 });
    await syncDirectory(draft);
    await rename(draft, open);
    await syncDirectory(root);
  } catch (cause) {
    await rm(draft, { recursive: true, force: true });
    const { code } = cause as NodeJS.ErrnoException;
    // Another process was faster; it found the same runs, and may have begun one.
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw cannotUse(open, cause);
  }
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
