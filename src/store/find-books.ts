import { existsSync } from "node:fs";
import { showCount } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/text.ts";
import type { BookRun, PlanHold } from "./book-entries.ts";
import { Book } from "./book.ts";
import type { TableLock } from "./held-lock.ts";
import type { RunIdentity } from "./run-facts.ts";
import {
  damagedState,
  listTables,
  placeOfTable,
  type StateDirectory,
  type TableId,
} from "./state-directory.ts";

/** The books that were read through a state directory, by the directories of their tables. */
const shelves = new WeakMap<StateDirectory, Map<string, Book>>();

async function bookAt(state: StateDirectory, directory: string): Promise<Book> {
  const shelf = shelves.get(state) ?? new Map<string, Book>();
  shelves.set(state, shelf);
  const book = shelf.get(directory) ?? new Book(directory);
  shelf.set(directory, book);
  await book.refresh();
  return book;
}

/** The book of a table as it is now. Throws a machine error if it is damaged. */
export function bookOf(state: StateDirectory, table: TableId): Promise<Book> {
  return bookAt(state, placeOfTable(state, table));
}

/** The books in these directories, or in those of all tables; damaged ones apart, with what is wrong. */
export async function readBooks(state: StateDirectory, directories?: readonly string[]) {
  const books: Book[] = [];
  const damaged: { readonly path: string; readonly fault: RecPushError }[] = [];
  for (const directory of directories ?? (await listTables(state))) {
    try {
      books.push(await bookAt(state, directory));
    } catch (fault) {
      if (!(fault instanceof RecPushError)) throw fault;
      damaged.push({ path: new Book(directory).path, fault });
    }
  }
  return { books, damaged };
}

/** The books of all tables, without damaged ones, which are reported when their tables are used. */
export async function allBooks(state: StateDirectory): Promise<readonly Book[]> {
  return (await readBooks(state)).books;
}

/**
 * The book that knows a run, its entry and the prints of its creates; `undefined` if none does. A run of a shard has an entry in
 * the book of its shard alone.
 */
export async function findInBooks(state: StateDirectory, run: string) {
  // A push has read the book of its own table, and need not read those of the others.
  const read = [...(shelves.get(state)?.keys() ?? [])];
  for (const directories of [read, await listTables(state)])
    for (const book of (await readBooks(state, directories)).books) {
      const [found, prints] = [book.run(run), book.prints.get(run)];
      if (found !== undefined || prints !== undefined) return { book, found, prints };
    }
  return undefined;
}

/** True if no table has a book. */
export async function hasNoBook(state: StateDirectory): Promise<boolean> {
  return (await listTables(state)).every((directory) => !existsSync(new Book(directory).path));
}

/** The pushes of a content to a target, in order. */
export async function pushesOf(state: StateDirectory, identity: RunIdentity): Promise<readonly BookRun[]> {
  const { content, dbVersion, runKey } = identity;
  return (await bookOf(state, identity)).runs.filter(
    (run) => run.content === content && run.dbVersion === dbVersion && run.runKey === runKey,
  );
}

/**
 * Throws a machine error if the book of a table does not hold the line that the table's lock names: then it was lost, emptied
 * or restored from an older copy.
 */
export async function refuseOlderBook(
  state: StateDirectory,
  table: TableId,
  { found }: Pick<TableLock, "found">,
): Promise<void> {
  const book = await bookOf(state, table);
  if (book.holds(found)) return;
  const { number } = book.end;
  const line = found === undefined ? "no line" : `line ${found.number}`;
  const names = `the table's lock names ${line} of ${book.path}, which has ${showCount(number, "line")} and not that one`;
  throw damagedState(
    `the book of what was pushed to this table is lost, or older than the rest of the state directory: ${names}`,
    "restore the newest copy of the whole state directory, then run the same command again\nor name a file that holds the records without key that the service has; then the same command compares with these:\n  rec-push ledger add FILE --table NAME",
    { backupHelps: false },
  );
}

/** The error for a command that finds its table held. */
export function heldByPlan(table: string, { plan, directory }: PlanHold): RecPushError {
  const word = quoteWord(directory);
  return new RecPushError(
    "table-held",
    `the plan ${plan} in ${directory} holds the table ${table} until all of its shards are settled; nothing was sent`,
    {
      hint: `rec-push runs --plan ${word} says what is left, and frees the table once nothing is\nor give the plan up: rec-push runs abandon --plan ${word}`,
    },
  );
}

/** The plans that hold a table, of all tables. */
export async function listHolds(state: StateDirectory): Promise<readonly PlanHold[]> {
  return (await allBooks(state)).flatMap(({ hold }) => hold ?? []);
}
