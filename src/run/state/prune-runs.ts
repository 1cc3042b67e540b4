import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../../model/failure.ts";
import { isOpen } from "./find-runs.ts";
import { CLOSED, closeRun, listOpenRuns, listRuns, loadRun, pruneRun } from "./run-store.ts";
import type { StateDirectory } from "./state-directory.ts";

/** Runs that are open no longer are kept for so many days. */
const KEPT_DAYS = 30;

/** Removes the runs that were closed long ago; open ones stay, however old. */
export async function pruneOldRuns(state: StateDirectory, now = Date.now()): Promise<readonly string[]> {
  return pruneRuns(state, now - KEPT_DAYS * 86_400_000);
}

/** Nobody needs so long from making a run to its beginning, or from its last word to closing it. */
const UNFINISHED_WORK_MS = 86_400_000;

/** Removes the runs that were closed before that time, in milliseconds, and those that never began; gives their names. */
export async function pruneRuns(state: StateDirectory, beforeMs: number): Promise<readonly string[]> {
  const pruned: string[] = [];
  const open = new Set(await listOpenRuns(state));
  for (const run of await listRuns(state)) {
    const directory = join(state.runs, run);
    const files: readonly string[] = await readdir(directory).catch(() => []);
    if (!files.includes(CLOSED)) {
      await tidyUp(state, run, Math.min(beforeMs, Date.now() - UNFINISHED_WORK_MS));
      continue;
    }
    if ((await stat(join(directory, CLOSED))).mtimeMs > beforeMs) continue;
    try {
      const stored = await loadRun(state, run);
      if (stored === undefined) continue;
      // An older run that is still open must not bring back what this one replaced.
      if (stored.facts.olderRuns.some((older) => open.has(older))) continue;
      await pruneRun(state, stored);
      pruned.push(run);
    } catch (error) {
      // What cannot be read is not thrown away.
      if (!(error instanceof RecPushError)) throw error;
    }
  }
  return pruned;
}

/**
 * A crash before anything was sent leaves a directory, and one behind the last word a run that is not marked as closed:
 * both perhaps with a copy of standard input.
 */
async function tidyUp(state: StateDirectory, run: string, beforeMs: number): Promise<void> {
  const directory = join(state.runs, run);
  try {
    if ((await stat(directory)).mtimeMs > beforeMs) return;
    const stored = await loadRun(state, run);
    if (stored === undefined) await rm(directory, { recursive: true, force: true });
    else if (!isOpen(stored)) await closeRun(directory);
  } catch {
    // Another process took it away, or it cannot be read: then it stays.
  }
}
