import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { Book } from "./book.ts";
import type { RunPlace } from "./close-finished.ts";
import { allBooks, bookOf } from "./find-books.ts";
import { RunAccount } from "./count-run.ts";
import { readJournal } from "./read-journal.ts";
import type { StateDirectory } from "./state-directory.ts";
import { loadRun, type StoredRun } from "./summarise-run.ts";
import { placeOfRun, runsOfTable } from "./table-place.ts";

/** How many days a run is kept after it was closed. */
const KEPT_DAYS = 30;
/** How many runs one push looks at, so that many kept runs do not slow it down. */
const LOOKED_AT_A_PUSH = 10;

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

/** Removes runs of a table that were closed long ago, a few at each push; open ones stay, however old. Never throws. */
export async function pruneOldRuns(
  { state, lock }: RunPlace,
  rules: PruneRules,
  now = Date.now(),
): Promise<void> {
  try {
    const book = await bookOf(state, lock.table);
    const runs = await runsOfTable(book.directory);
    // With each run that begins, the next ones: some of these stay.
    const from = (book.runs.length * LOOKED_AT_A_PUSH) % Math.max(runs.length, 1);
    const next = [...runs.slice(from), ...runs].slice(0, Math.min(LOOKED_AT_A_PUSH, runs.length));
    await pruneThose(state, book, next, now - KEPT_DAYS * 86_400_000, rules);
  } catch {
    // Old runs only take space.
  }
}

/** Removes the runs of all tables that were closed, and those that never began. */
export async function pruneRuns(state: StateDirectory, rules: PruneRules): Promise<PrunedRuns> {
  const pruned: PrunedRuns[] = [];
  for (const book of await allBooks(state))
    pruned.push(await pruneThose(state, book, await runsOfTable(book.directory), Infinity, rules));
  return { removed: pruned.flatMap(({ removed }) => removed), kept: pruned.flatMap(({ kept }) => kept) };
}

/** Longer than any process takes from making a run's directory to beginning it. */
const BEGINNING_MS = 86_400_000;

/** Removes those of the runs that were closed before a time, given in milliseconds. */
async function pruneThose(
  state: StateDirectory,
  book: Book,
  runs: readonly string[],
  beforeMs: number,
  rules: PruneRules,
): Promise<PrunedRuns> {
  const removed: string[] = [];
  const kept: string[] = [];
  for (const run of runs) {
    const directory = placeOfRun(book.directory, run);
    if ((await timeOf(directory)) > beforeMs && (await timeOf(join(directory, "journal"))) > beforeMs)
      continue;
    const known = book.run(run);
    try {
      if (known === undefined) await removeUnknown(directory, Math.min(beforeMs, Date.now() - BEGINNING_MS));
      if (known?.closed === undefined || (await timeOf(join(directory, "journal"))) > beforeMs) continue;
      const stored = await loadRun(state, run);
      if (stored === undefined) continue;
      // An older run that is still open must not restore values that this one replaced.
      if (stored.facts.olderRuns.some((older) => isOpenIn(book, older))) continue;
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

function isOpenIn(book: Book, run: string): boolean {
  const known = book.run(run);
  return known !== undefined && known.closed === undefined;
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
