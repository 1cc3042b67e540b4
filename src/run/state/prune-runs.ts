import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../../model/failure.ts";
import { CLOSED, listRuns, loadRun, pruneRun } from "./run-store.ts";
import type { StateDirectory } from "./state-directory.ts";

/** Runs that are open no longer are kept for so many days. */
const KEPT_DAYS = 30;

/** Removes the runs that were closed long ago; open ones stay, however old. */
export async function pruneOldRuns(state: StateDirectory, now = Date.now()): Promise<readonly string[]> {
  return pruneRuns(state, now - KEPT_DAYS * 86_400_000);
}

/** Removes the runs that were closed before that time, in milliseconds; gives their names. */
export async function pruneRuns(state: StateDirectory, beforeMs: number): Promise<readonly string[]> {
  const pruned: string[] = [];
  for (const run of await listRuns(state)) {
    const directory = join(state.runs, run);
    const files: readonly string[] = await readdir(directory).catch(() => []);
    if (!files.includes(CLOSED)) continue;
    if ((await stat(join(directory, CLOSED))).mtimeMs > beforeMs) continue;
    try {
      const stored = await loadRun(state, run);
      if (stored === undefined) continue;
      await pruneRun(state, stored);
      pruned.push(run);
    } catch (error) {
      // What cannot be read is not thrown away.
      if (!(error instanceof RecPushError)) throw error;
    }
  }
  return pruned;
}
