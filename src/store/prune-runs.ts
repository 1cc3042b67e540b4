import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { findInBooks } from "./find-books.ts";
import { RunAccount } from "./count-run.ts";
import { readJournal } from "./read-journal.ts";
import { readOwnFile, type StateDirectory } from "./state-directory.ts";
import { loadRun, type StoredRun } from "./summarise-run.ts";
import { listRuns } from "./table-place.ts";

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
    const runs = [...(await listRuns(state))];
    const last = await readOwnFile(cursor).catch(() => "");
    const after = runs.findIndex(([run]) => run > last);
    const next = [...runs.slice(Math.max(after, 0)), ...runs].slice(
      0,
      Math.min(LOOKED_AT_A_START, runs.length),
    );
    await pruneThose(state, next, now - KEPT_DAYS * 86_400_000, rules);
    await writeFile(cursor, next.at(-1)?.[0] ?? "", { mode: 0o600 });
  } catch {
    // Old runs only take space.
  }
}

/** Removes the runs that were closed, and those that never began. */
export async function pruneRuns(state: StateDirectory, rules: PruneRules): Promise<PrunedRuns> {
  return pruneThose(state, await listRuns(state), Infinity, rules);
}

/** Longer than any process takes from making a run's directory to beginning it. */
const BEGINNING_MS = 86_400_000;

/** Removes those of the runs that were closed before a time, given in milliseconds. */
async function pruneThose(
  state: StateDirectory,
  runs: Iterable<readonly [run: string, directory: string]>,
  beforeMs: number,
  rules: PruneRules,
): Promise<PrunedRuns> {
  const removed: string[] = [];
  const kept: string[] = [];
  for (const [run, directory] of runs) {
    // First: the books of other tables need not be read for runs that are not old.
    if ((await timeOf(directory)) > beforeMs && (await timeOf(join(directory, "journal"))) > beforeMs)
      continue;
    const known = (await findInBooks(state, run))?.found;
    try {
      if (known === undefined) await removeUnknown(directory, Math.min(beforeMs, Date.now() - BEGINNING_MS));
      if (known?.closed === undefined || (await timeOf(join(directory, "journal"))) > beforeMs) continue;
      const stored = await loadRun(state, run);
      if (stored === undefined) continue;
      // An older run that is still open must not restore values that this one replaced.
      if (await isAnyOpen(state, stored.facts.olderRuns)) continue;
      if (await rules.replacesUnmended(state, stored)) continue;
      if (await rules.holdsUnmended(state, stored)) {
        kept.push(run);
        continue;
      }
      await rm(directory, { recursive: true, force: true });
      removed.push(run);
    } catch (error) {
      // A run that cannot be read is not removed.
      if (!(error instanceof RecPushError)) throw error;
    }
  }
  return { removed, kept };
}

async function isAnyOpen(state: StateDirectory, runs: readonly string[]): Promise<boolean> {
  for (const run of runs) {
    const known = await findInBooks(state, run);
    if (known !== undefined && known.found.closed === undefined) return true;
  }
  return false;
}

/**
 * Removes what a crash left of a run that no book knows, because it had not begun. A journal that announced something stays: its
 * book may be damaged.
 */
async function removeUnknown(directory: string, beforeMs: number): Promise<void> {
  if ((await timeOf(directory)) > beforeMs) return;
  const account = new RunAccount();
  await readJournal(join(directory, "journal"), (entry, line) => account.take(entry, line)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    },
  );
  if (account.lastBatch === 0) await rm(directory, { recursive: true, force: true });
}

/** When something was written last; never, if that is not known. */
async function timeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Infinity,
  );
}
