import { rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { printRun } from "../ledger/ledger-file.ts";
import { RecPushError } from "../model/failure.ts";
import type { Closing } from "./book-entries.ts";
import type { Book } from "./book.ts";
import { allBooks, bookOf } from "./find-books.ts";
import type { TableLock } from "./held-lock.ts";
import { placeOfRun, runsOfTable, type StateDirectory, type TableId } from "./state-directory.ts";
import {
  endOf,
  INPUT_COPY,
  isOpen,
  keptOf,
  type KeptRun,
  loadKept,
  loadRun,
  stateOf,
  type StoredRun,
  type UnclosedRun,
  unclosedRuns,
} from "./summarise-run.ts";
import { underLock } from "./table-lock.ts";

/** Where runs are kept, and the lock of the table whose runs they are. */
export interface RunPlace {
  readonly state: StateDirectory;
  readonly lock: TableLock;
}

/** For so many days the files of a closed run are kept. */
const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;
/** A push prunes no fewer runs, because that rewrites the book. */
const LEAST_PRUNED = 50;

/**
 * Closes the runs of the lock's table that have nothing left to do, but whose command ended before closing them; unless the
 * command is about one of them, removes what is old, and remains after a kill. `told`: that run, whose end was reported to the
 * user.
 */
export async function closeFinished(place: RunPlace, told?: string): Promise<void> {
  const { state, lock } = place;
  for (const { stored } of await unclosedRuns(state, lock.table)) {
    if (stored !== undefined && !isOpen(stored)) await closeRun(place, stored, true);
  }
  if (told !== undefined) return;
  try {
    await pruneTable(place, Date.now() - KEPT_DAYS * DAY_MS, LEAST_PRUNED);
  } catch (error) {
    // Old runs only take space: a push does not stop for a disk that fails here.
    if (!(error instanceof RecPushError) || error.code === "lock-lost") throw error;
  }
}

/**
 * Closes runs whose command has told the user that they are done. Not before: if the command was cut off, or left rows of
 * any of its files, its rows may come again in another file.
 */
export async function closeDone(place: RunPlace, runs: readonly string[], leftRows: boolean): Promise<void> {
  for (const run of runs) {
    try {
      const stored = await loadRun(place.state, run);
      if (stored !== undefined) await closeRun(place, stored, leftRows);
    } catch (error) {
      // The user has seen the end; the next push closes the run.
      if (!(error instanceof RecPushError)) throw error;
    }
  }
}

/**
 * Closes a run that has nothing left to do, or that was given up. The prints of its creates go to a file that is on disk
 * before the book names it; the book's entry is on disk before the journal goes. A kill in between leaves a file that no
 * entry names, which the next close replaces, or a journal that the entry makes void, which the next start removes.
 * `mayComeAgain`: its command was cut off, or left rows of some file, so its rows may come in another file.
 */
export async function closeRun(
  { state, lock }: RunPlace,
  { directory, account, journalEnd }: Pick<StoredRun, "directory" | "account" | "journalEnd">,
  mayComeAgain: boolean,
): Promise<void> {
  const { run, shard } = account.facts;
  // Its plan closes it, by its journal.
  if (shard !== undefined) return;
  const book = await bookOf(state, lock.table);
  const prints = await printRun(book.directory, account, join(directory, "journal"), mayComeAgain);
  const keys = account.hasKeys ? { keys: journalEnd.number } : {};
  const named = { ...(prints && { prints }), ...keys };
  const at = new Date().toISOString();
  await book.append(lock, { entry: "close", run, at, ...endOf(account), ...named });
  await lock.noteLines(run, 0);
  await removeRemains(book, lock, [run]);
}

/**
 * Removes what no command needs any more: the journals of closed runs, with their copies of standard input, unless they hold keys that
 * were sent; the directories of pruned runs, and of runs that had not begun. A directory stays as long as it holds files for a person.
 */
async function removeRemains(
  book: Book,
  { found }: Pick<TableLock, "found">,
  runs?: readonly string[],
): Promise<void> {
  for (const run of runs ?? (await runsOfTable(book.directory))) {
    const directory = placeOfRun(book.directory, run);
    const closed = book.run(run)?.closed;
    try {
      // A run that the book does not know has sent nothing, unless the book itself was lost.
      const isUnknown = book.run(run) === undefined && book.holds(found);
      // A run whose journal was lost keeps its files for a person.
      const isPruned = closed !== undefined && isBare(closed) && closed.exitCode !== undefined;
      if (isPruned || isUnknown) await rm(directory, { recursive: true, force: true });
      if (closed === undefined) continue;
      await rm(join(directory, INPUT_COPY), { force: true });
      if (closed.keys !== undefined) continue;
      await rm(join(directory, "journal"), { force: true });
      await rmdir(directory);
    } catch {
      // It only takes space, and the next start tries again.
    }
  }
}

/** True if nothing more than its ending is kept of a closed run. */
function isBare({ kept, keys }: Closing): boolean {
  return kept === undefined && keys === undefined;
}

/** The runs that were pruned now, and the runs that stay because nobody has mended their rejects. */
interface PrunedRuns {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
}

/** Prunes the closed runs of all tables. Throws a locked error if a table is pushed to. */
export async function pruneRuns(state: StateDirectory): Promise<PrunedRuns> {
  const pruned: PrunedRuns[] = [];
  for (const book of await allBooks(state)) {
    const { table } = book;
    // No run has begun.
    if (table === undefined) continue;
    await underLock(state, table, `the table ${table.url}`, async (lock) => {
      pruned.push(await pruneTable({ state, lock }, Infinity, 1));
    });
  }
  return { removed: pruned.flatMap(({ removed }) => removed), kept: pruned.flatMap(({ kept }) => kept) };
}

/**
 * Prunes runs of a table that were closed before a time, if there are so many; open ones stay, however old. None is pruned while
 * the book is older than the lock says.
 */
async function pruneTable({ state, lock }: RunPlace, beforeMs: number, least: number): Promise<PrunedRuns> {
  const book = await bookOf(state, lock.table);
  const unmended = new Set<string>();
  for (const { run, closed } of book.runs) {
    if (closed?.kept === undefined || closed.isAbandoned === true) continue;
    if (!book.isMended(run)) unmended.add(run);
  }
  const mayRestore = (older: string): boolean =>
    unmended.has(older) || (book.run(older) !== undefined && book.run(older)?.closed === undefined);
  const old = new Set<string>();
  for (const { run, closed, olderRuns = [] } of book.runs) {
    if (closed === undefined || isBare(closed) || unmended.has(run) || Date.parse(closed.at) > beforeMs)
      continue;
    // Rows of an older run that are sent later must not restore values that this one replaced.
    if (closed.keys === undefined || !olderRuns.some(mayRestore)) old.add(run);
  }
  const isDue = old.size >= least && book.holds(lock.found);
  // The book comes first: after a kill the next command removes the directories.
  if (isDue) await book.rewrite(lock, old);
  await removeRemains(book, lock);
  const kept = [...unmended].filter((run) => Date.parse(book.run(run)!.closed!.at) <= beforeMs);
  return { removed: isDue ? [...old] : [], kept };
}

/** The open runs among those of a table, the oldest first. One whose journal is damaged is reported by `rec-push runs`. */
export function openAmong(unclosed: readonly UnclosedRun[]): readonly StoredRun[] {
  return unclosed.flatMap(({ stored }) => (stored !== undefined && isOpen(stored) ? [stored] : []));
}

/**
 * The run with that name. Without one: the first run with rows to send among those of the latest open run's command, which
 * sends its files in their order. Throws a usage error if there is none, and a machine error if its journal is lost or damaged.
 */
export async function findRun(state: StateDirectory, name: string | undefined): Promise<KeptRun> {
  if (name !== undefined) {
    const kept = await loadKept(state, name);
    if (kept !== undefined) return kept;
    throw noRun(
      `there is no run ${name} in ${state.root}: nothing was sent in one of that name, unless the book of its table is lost`,
    );
  }
  let open: readonly StoredRun[] = [];
  for (const { table } of await allBooks(state)) {
    const unclosed = table === undefined ? [] : await unclosedRuns(state, table);
    for (const { loss } of unclosed) if (loss !== undefined) throw loss;
    const ofTable = openAmong(unclosed);
    if ((ofTable.at(-1)?.run ?? "") > (open.at(-1)?.run ?? "")) open = ofTable;
  }
  const latest = open.at(-1);
  if (latest === undefined) throw noRun("no run is open: nothing is left to resume");
  const ofCommand = open.filter(({ facts }) => facts.command === latest.facts.command);
  return keptOf(ofCommand.find(({ account }) => stateOf(account) === "unfinished") ?? latest);
}

function noRun(message: string): RecPushError {
  return new RecPushError("no-run", message, { hint: "rec-push runs lists them" });
}

/** The names of all runs that are kept, the oldest first; some journals may be lost. */
export async function listKnownRuns(state: StateDirectory): Promise<readonly string[]> {
  const runs = (await allBooks(state)).flatMap((book) => book.runs);
  const kept = runs.filter(({ closed }) => closed === undefined || closed.kept !== undefined);
  return kept.map(({ run }) => run).sort();
}

/** The runs of a table that were not closed and whose creates are uncertain. */
export async function findLostRuns(state: StateDirectory, table: TableId): Promise<readonly string[]> {
  const runs = await unclosedRuns(state, table);
  return runs.flatMap(({ run, loss }) => (loss === undefined ? [] : [run]));
}

/** The user has said which records of a lost run are in the service: from now on the ledger decides about its content. */
export async function settleLostRun({ state, lock }: RunPlace, run: string): Promise<void> {
  const book = await bookOf(state, lock.table);
  const closing: Closing = { hasCreates: false, isAbandoned: true };
  await book.append(lock, { entry: "close", run, at: new Date().toISOString(), ...closing });
  await lock.noteLines(run, 0);
}
