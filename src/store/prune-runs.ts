import { removeRemains, type RunPlace } from "./close-finished.ts";
import { allBooks, bookOf } from "./find-books.ts";
import type { StateDirectory } from "./state-directory.ts";
import { underLock } from "./table-lock.ts";

/** For so many days the files of a closed run are kept. */
const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;

/** The runs that were pruned now, and the runs that stay because nobody has mended their rejects. */
export interface PrunedRuns {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
}

/** Prunes the runs of a table that were closed long ago; open ones stay, however old. Never throws. */
export async function pruneOldRuns(place: RunPlace, now = Date.now()): Promise<void> {
  try {
    // Files are not read for it: whether rejects were mended is in the book once they were pushed or given up.
    await pruneTable(place, now - KEPT_DAYS * DAY_MS, async () => true);
  } catch {
    // Old runs only take space.
  }
}

/**
 * Prunes the closed runs of all tables. `holdsUnmended` is asked about those that left rows to be mended. Throws a locked error if
 * a table is pushed to.
 */
export async function pruneRuns(
  state: StateDirectory,
  holdsUnmended: (run: string) => Promise<boolean>,
): Promise<PrunedRuns> {
  const pruned: PrunedRuns[] = [];
  for (const book of await allBooks(state)) {
    const { table } = book;
    // No run has begun.
    if (table === undefined) {
      await removeRemains(book);
      continue;
    }
    pruned.push(
      await underLock(state, table, `the table ${table.url}`, (lock) =>
        pruneTable({ state, lock }, Infinity, holdsUnmended),
      ),
    );
  }
  return { removed: pruned.flatMap(({ removed }) => removed), kept: pruned.flatMap(({ kept }) => kept) };
}

async function pruneTable(
  { state, lock }: RunPlace,
  beforeMs: number,
  holdsUnmended: (run: string) => Promise<boolean>,
): Promise<PrunedRuns> {
  const book = await bookOf(state, lock.table);
  const unmended = new Set<string>();
  for (const { run, closed, isMended } of book.runs) {
    if (closed?.kept === undefined || isMended === true || closed.isAbandoned === true) continue;
    if ((closed.toMend ?? 0) > 0 && (await holdsUnmended(run))) unmended.add(run);
  }
  const mayRestore = (older: string): boolean =>
    unmended.has(older) || (book.run(older) !== undefined && book.run(older)?.closed === undefined);
  const removed: string[] = [];
  for (const { run, closed, olderRuns = [] } of book.runs) {
    if (closed?.kept === undefined || unmended.has(run) || Date.parse(closed.at) > beforeMs) continue;
    // Rows of an older run that are sent later must not restore values that this one replaced.
    if (closed.keys === undefined || !olderRuns.some(mayRestore)) removed.push(run);
  }
  // The entry comes first: after a kill the next prune removes the directories.
  if (removed.length > 0) await book.append(lock, { entry: "pruned", runs: removed });
  await removeRemains(book);
  const kept = [...unmended].filter((run) => Date.parse(book.run(run)!.closed!.at) <= beforeMs);
  return { removed, kept };
}
