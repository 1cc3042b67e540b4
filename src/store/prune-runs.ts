import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { closeNoted, isOpen } from "./close-finished.ts";
import { readOwnFile, type StateDirectory } from "./state-directory.ts";
import {
  CLOSED,
  forgetOpen,
  isStillborn,
  listOpenRuns,
  listRuns,
  loadRun,
  pruneRun,
  type StoredRun,
} from "./summarise-run.ts";

/** How many days a run is kept after it was closed. */
const KEPT_DAYS = 30;
/**
 * How many runs one start looks at, so that many kept runs do not slow it down; the next start continues after them.
 */
const LOOKED_AT_A_START = 10;
/** The file that holds the name of the last run that was looked at. */
const CURSOR = "pruned-up-to";

type Judge = (state: StateDirectory, stored: StoredRun) => Promise<boolean>;

/** What is asked about a closed run before it is removed. */
export interface PruneRules {
  /** True if it holds rows that nobody mended. */
  readonly holdsUnmended: Judge;
  /** True if it replaced values that mended rejects of an older run might restore. */
  readonly replacesUnmended: Judge;
}

/** The closed runs that were removed, and those that are still needed. */
export interface PrunedRuns {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
}

/** Removes runs that were closed long ago, a few at each start; open ones stay, however old. Never throws. */
export async function pruneOldRuns(
  state: StateDirectory,
  rules: PruneRules,
  now = Date.now(),
): Promise<void> {
  const cursor = join(state.root, CURSOR);
  try {
    const runs = await listRuns(state);
    const last = await readOwnFile(cursor).catch(() => "");
    const after = runs.findIndex((run) => run > last);
    const next = [...runs.slice(Math.max(after, 0)), ...runs].slice(
      0,
      Math.min(LOOKED_AT_A_START, runs.length),
    );
    await pruneThose(state, next, now - KEPT_DAYS * 86_400_000, rules);
    await writeFile(cursor, next.at(-1) ?? "", { mode: 0o600 });
  } catch {
    // Old runs only take space.
  }
}

/** Removes the runs that were closed, and those that never began. */
export async function pruneRuns(state: StateDirectory, rules: PruneRules): Promise<PrunedRuns> {
  return pruneThose(state, await listRuns(state), Infinity, rules);
}

/** Longer than any process takes from making a run to beginning it, or from its last entry to closing it. */
const UNFINISHED_WORK_MS = 86_400_000;

/** Removes those of the runs that were closed before a time, given in milliseconds. */
async function pruneThose(
  state: StateDirectory,
  runs: readonly string[],
  beforeMs: number,
  rules: PruneRules,
): Promise<PrunedRuns> {
  const removed: string[] = [];
  const kept: string[] = [];
  const open = new Set(await listOpenRuns(state));
  for (const run of runs) {
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
      // An older run that is still open must not restore values that this one replaced.
      if (stored.facts.olderRuns.some((older) => open.has(older))) continue;
      if (await rules.replacesUnmended(state, stored)) continue;
      if (await rules.holdsUnmended(state, stored)) {
        kept.push(run);
        continue;
      }
      await pruneRun(state, stored);
      removed.push(run);
    } catch (error) {
      // A run that cannot be read is not removed.
      if (!(error instanceof RecPushError)) throw error;
    }
  }
  return { removed, kept };
}

/**
 * Cleans up after a crash. A crash before anything was sent leaves a directory; a crash after the last entry leaves a
 * run that is not marked as closed. Both may hold a copy of standard input.
 */
async function tidyUp(state: StateDirectory, run: string, beforeMs: number): Promise<void> {
  const directory = join(state.runs, run);
  try {
    if ((await stat(directory)).mtimeMs > beforeMs) return;
    const stored = await loadRun(state, run);
    if (stored === undefined) {
      const isMarked = (await listOpenRuns(state)).includes(run);
      // Its journal was lost, and the next push to its table has to report that.
      if (isMarked && !(await isStillborn(state, run))) return;
      await forgetOpen(state, run);
      await rm(directory, { recursive: true, force: true });
    } else if (!isOpen(stored)) await closeNoted(state, stored);
  } catch {
    // Another process removed it, or it cannot be read and stays.
  }
}
