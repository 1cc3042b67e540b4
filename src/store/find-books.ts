import { access } from "node:fs/promises";
import { RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/text.ts";
import type { BookRun, PlanHold } from "./book-entries.ts";
import { Book, type BookLock } from "./book.ts";
import type { RunIdentity } from "./run-facts.ts";
import type { StateDirectory } from "./state-directory.ts";
import { listTables, placeOfTable, type TableId } from "./table-place.ts";

/** The books that were read through a state directory, by the directories of their tables. */
const shelves = new WeakMap<StateDirectory, Map<string, Book>>();

async function bookAt(state: StateDirectory, directory: string): Promise<Book> {
  let shelf = shelves.get(state);
  if (shelf === undefined) shelves.set(state, (shelf = new Map()));
  let book = shelf.get(directory);
  if (book === undefined) shelf.set(directory, (book = new Book(directory)));
  await book.refresh();
  return book;
}

/** The book of a table as it is now. Throws a machine error if it is damaged. */
export function bookOf(state: StateDirectory, table: TableId): Promise<Book> {
  return bookAt(state, placeOfTable(state, table));
}

/** The book in each of these directories, or what is wrong with it. */
async function readBooks(
  state: StateDirectory,
  directories: readonly string[],
): Promise<readonly (Book | DamagedBook)[]> {
  const found: (Book | DamagedBook)[] = [];
  for (const directory of directories)
    found.push(
      await bookAt(state, directory).catch((fault: unknown) => {
        if (!(fault instanceof RecPushError)) throw fault;
        return { path: new Book(directory).path, fault };
      }),
    );
  return found;
}

interface DamagedBook {
  readonly path: string;
  readonly fault: RecPushError;
}

/** The books of all tables, without damaged ones, which are reported when their tables are used. */
export async function allBooks(state: StateDirectory): Promise<readonly Book[]> {
  return (await readBooks(state, await listTables(state))).flatMap((book) =>
    book instanceof Book ? [book] : [],
  );
}

/** The damaged books, each with its fault. */
export async function damagedBooks(state: StateDirectory): Promise<readonly DamagedBook[]> {
  return (await readBooks(state, await listTables(state))).flatMap((book) =>
    book instanceof Book ? [] : [book],
  );
}

/** The book that knows a run, with its entry; `undefined` if no book does. */
export async function findInBooks(
  state: StateDirectory,
  run: string,
): Promise<{ readonly book: Book; readonly found: BookRun } | undefined> {
  // A push has read the book of its own table, and need not read those of the others.
  const read = [...(shelves.get(state)?.keys() ?? [])];
  for (const directories of [read, await listTables(state)])
    for (const book of await readBooks(state, directories)) {
      const found = book instanceof Book ? book.run(run) : undefined;
      if (book instanceof Book && found !== undefined) return { book, found };
    }
  return undefined;
}

/** True if no table has a book. */
export async function hasNoBook(state: StateDirectory): Promise<boolean> {
  for (const directory of await listTables(state)) {
    const isThere = await access(new Book(directory).path).then(
      () => true,
      () => false,
    );
    if (isThere) return false;
  }
  return true;
}

/** The pushes of a content to a target. */
export async function pushesOf(state: StateDirectory, identity: RunIdentity): Promise<readonly BookRun[]> {
  return (await bookOf(state, identity)).pushesOf(identity);
}

/** The runs that began and were not closed, of one table or of all. */
export async function openInBooks(state: StateDirectory, table?: TableId): Promise<readonly string[]> {
  const books = table === undefined ? await allBooks(state) : [await bookOf(state, table)];
  return books.flatMap(({ runs }) => runs.flatMap(({ run, closed }) => (closed === undefined ? [run] : [])));
}

/**
 * Throws a machine error if the book of a table does not hold the line that the table's lock names: then it was lost, emptied
 * or restored from an older copy.
 */
export async function refuseOlderBook(
  state: StateDirectory,
  table: TableId,
  { found }: Pick<BookLock, "found">,
): Promise<void> {
  const book = await bookOf(state, table);
  if (book.holds(found)) return;
  const { number } = book.end;
  const names =
    found === undefined
      ? `no lock of the table names a line of ${book.path}, which has ${number}`
      : `the table's lock names line ${found.number} of ${book.path}, ${found.number > number ? `which has ${number}` : "and another line is there"}`;
  throw new RecPushError(
    "machine",
    "ledger-damaged",
    `the book of what was pushed to this table is lost, or older than the rest of the state directory: ${names}; nothing was sent, because records could be created twice`,
    {
      hint: [
        "restore the newest copy of the whole state directory, then run the same command again",
        "or name a file that holds the records without key that the service has; then the same command compares with these:",
        "  rec-push ledger add FILE --table NAME",
      ].join("\n"),
    },
  );
}

/** The error for a command that finds its table held. */
export function heldByPlan(table: string, { plan, directory }: PlanHold): RecPushError {
  const word = quoteWord(directory);
  return new RecPushError(
    "locked",
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
