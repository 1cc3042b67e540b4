import { rename, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { printRun } from "../ledger/ledger-file.ts";
import { RecPushError } from "../model/failure.ts";
import type { Closing } from "./book-entries.ts";
import type { Book } from "./book.ts";
import type { RunAccount } from "./count-run.ts";
import { allBooks, bookOf } from "./find-books.ts";
import type { TableLock } from "./held-lock.ts";
import { readJournal } from "./read-journal.ts";
import { cannotUse, type StateDirectory, syncDirectory } from "./state-directory.ts";
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
import { placeOfRun, runsOfTable, type TableId } from "./table-place.ts";

/** Where runs are kept, and the lock of the table whose runs they are. */
export interface RunPlace {
  readonly state: StateDirectory;
  readonly lock: TableLock;
}

/**
 * Closes the runs of the lock's table that have nothing left to do, but whose command ended before closing them, and
 * removes remains of closed runs after a kill. `told`: a run whose end, with its results, was reported to the user.
 */
export async function closeFinished({ state, lock }: RunPlace, told?: string): Promise<void> {
  for (const { run, stored } of await unclosedRuns(state, lock.table)) {
    const isDone = stored !== undefined && !isOpen(stored) && (run === told || !lacksResults(stored));
    if (isDone) await closeRun({ state, lock }, stored, true);
  }
  await removeRemains(await bookOf(state, lock.table));
}

/** True if its process was killed before it wrote the results that were asked for: a resume writes them by the journal. */
export function lacksResults({ run, book }: Pick<StoredRun, "run" | "book">): boolean {
  const results = book.writtenBy(run).findLast((note) => "path" in note && note.kind === "results");
  return results !== undefined && "path" in results && results.sha256 === undefined;
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
  const keys = mayHaveSentKeys(account) ? { keys: journalEnd.number } : {};
  const named = { ...(prints && { prints }), ...keys };
  const at = new Date().toISOString();
  await book.append(lock, { entry: "close", run, at, ...endOf(account), ...named });
  await lock.noteLines(run, 0);
  await removeRemains(book, [run]);
}

/**
 * Removes what no command needs any more: the journals of closed runs, with their copies of standard input, unless they hold keys that
 * were sent; the directories of pruned runs, and of runs that had not begun. A directory stays as long as it holds files for a person.
 */
export async function removeRemains(book: Book, runs?: readonly string[]): Promise<void> {
  for (const run of runs ?? (await runsOfTable(book.directory))) {
    const directory = placeOfRun(book.directory, run);
    const begun = book.run(run);
    const closed = begun?.closed;
    try {
      // A run whose journal was lost keeps its remains.
      const isPruned = closed !== undefined && closed.kept === undefined && closed.exitCode !== undefined;
      if (isPruned || (begun === undefined && (await isLeftover(directory))))
        await rm(directory, { recursive: true, force: true });
      if (closed === undefined) continue;
      for (const name of ["journal-reserve", INPUT_COPY]) await rm(join(directory, name), { force: true });
      if (closed.keys !== undefined) continue;
      await rm(join(directory, "journal"), { force: true });
      await rmdir(directory);
    } catch {
      // It only takes space, and the next start tries again.
    }
  }
}

/** Longer than any process takes from making a run's directory to beginning it. */
const BEGINNING_MS = 86_400_000;

/** A journal that announced something stays even without a book: its book may be lost. */
async function isLeftover(directory: string): Promise<boolean> {
  if ((await stat(directory)).mtimeMs > Date.now() - BEGINNING_MS) return false;
  let hasSent = false;
  await readJournal(
    join(directory, "journal"),
    ({ entry }) => (hasSent ||= entry === "intent" || entry === "outcome"),
  ).catch((error: NodeJS.ErrnoException) => {
    // One that cannot be read may have announced something.
    if (error.code !== "ENOENT") throw error;
  });
  return !hasSent;
}

/** The open runs of a table, the oldest first. One whose journal is damaged is reported by `rec-push runs`. */
export async function findOpenRuns(state: StateDirectory, table: TableId): Promise<readonly StoredRun[]> {
  return openAmong(await unclosedRuns(state, table));
}

function openAmong(unclosed: readonly UnclosedRun[]): readonly StoredRun[] {
  return unclosed.flatMap(({ stored }) => (stored !== undefined && isOpen(stored) ? [stored] : []));
}

/** False if it is certain that the service applied no update of a run: it noted no keys, or ended in order and says so. */
function mayHaveSentKeys(account: RunAccount): boolean {
  if (!account.hasKeys || account.ending === undefined) return account.hasKeys;
  return (["accepted", "inDoubt", "failed"] as const).some(
    (outcome) => account.countOf("update", outcome) > 0,
  );
}

/**
 * The run with that name, or beginning or end of a name. Without one: the first run with rows to send among those of the latest open run's command, which
 * sends its files in their order. Throws a usage error if there is none, and a machine error if its journal is lost or damaged.
 */
export async function findRun(state: StateDirectory, name: string | undefined): Promise<KeptRun> {
  if (name !== undefined) {
    const names = (await listKnownRuns(state)).filter(
      (run) => run.startsWith(name) || run.endsWith(`-${name}`),
    );
    if (names.length > 1) throw noRun(`several runs are called ${name}: ${names.join(", ")}`);
    const kept = names.length === 0 ? undefined : await loadKept(state, names[0]!);
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

/**
 * The user has said which records of a lost run are in the service: from now on the ledger decides about its content. A
 * damaged journal is moved aside.
 */
export async function settleLostRun({ state, lock }: RunPlace, run: string): Promise<void> {
  const book = await bookOf(state, lock.table);
  const directory = placeOfRun(book.directory, run);
  try {
    await rename(join(directory, "journal"), join(directory, "journal-damaged"));
    await rm(join(directory, INPUT_COPY), { force: true });
    await syncDirectory(directory);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cannotUse(directory, cause);
  }
  const { hasCreates = true } = book.run(run) ?? {};
  const closing: Closing = { hasCreates, isAbandoned: true, asksLedger: true };
  await book.append(lock, { entry: "close", run, at: new Date().toISOString(), ...closing });
  await lock.noteLines(run, 0);
}
