import { copyFile, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BookEntry } from "./book-entries.ts";
import { Book } from "./book.ts";
import { RunAccount } from "./count-run.ts";
import type { TableLock } from "./held-lock.ts";
import { EMPTY_LOG, type LineName, type LogEnd, readLog, replaceLog, spellLines } from "./log.ts";
import type { RunFacts } from "./run-facts.ts";
import type { JournalEntry } from "./journal.ts";
import { orCannotUse, syncDirectory, type TableId } from "./state-directory.ts";

/**
 * A damaged file is kept up to its damage, in a file that replaces it whole or not at all; the damaged file stays beside it. A
 * kill at any moment leaves one of the two, and the same command again does the rest.
 */

/** The readable part of the journal of a run. */
interface IntactJournal {
  readonly directory: string;
  readonly account: RunAccount;
  readonly end: LogEnd;
}

/** Reads a journal up to its damage; of one that is gone, nothing. Throws a machine error if something else has its place. */
export async function readIntactRun(directory: string, facts: RunFacts): Promise<IntactJournal> {
  const account = new RunAccount(facts);
  const end = await readIntact(join(directory, "journal"), (entry, line) =>
    account.take(entry as JournalEntry, line),
  );
  return { directory, account, end };
}

/**
 * Goes on after the last readable line of a journal with these entries. Together they replace it: without them, lost
 * records would count as never sent. Until this returns, the lock may name more lines.
 */
export async function rewriteJournal(
  { directory, end }: IntactJournal,
  run: string,
  lock: TableLock,
  entries: readonly JournalEntry[],
): Promise<void> {
  await rewrite(join(directory, "journal"), end, entries, lock);
  await lock.noteLines(run, 0);
  await lock.noteLines(run, end.number + entries.length);
}

/** The entries of the book in a table's directory before its damage; without a `table` if that is in its first line. */
export async function readIntactBook(
  directory: string,
): Promise<{ readonly table: TableId | undefined; readonly entries: readonly BookEntry[] }> {
  const entries: BookEntry[] = [];
  await readIntact(new Book(directory).path, (entry) => entries.push(entry as BookEntry));
  const [first] = entries;
  const table = first?.entry === "table" ? { url: first.url, queries: first.queries } : undefined;
  return { table, entries };
}

/**
 * Writes a damaged book anew with the entries before its damage. It follows no line of the damaged one, so that the table's
 * creates stop until a person has said which records the service holds: lost lines may have named creates.
 */
export async function repairBook(
  directory: string,
  [, ...entries]: readonly BookEntry[],
  lock: TableLock,
): Promise<void> {
  const all: readonly BookEntry[] = [{ entry: "table", ...lock.table }, ...entries];
  await rewrite(new Book(directory).path, EMPTY_LOG, all, lock);
}

async function readIntact(path: string, take: (entry: object, line: LineName) => void): Promise<LogEnd> {
  let end = EMPTY_LOG;
  const damage = new Error("damaged");
  const damaged = (_line: number, _how: string, intact: LogEnd): Error => {
    end = intact;
    return damage;
  };
  return orCannotUse(path, async () => {
    try {
      const handle = await open(path);
      try {
        return await readLog(handle, { take, damaged });
      } finally {
        await handle.close();
      }
    } catch (cause) {
      if (cause === damage || (cause as NodeJS.ErrnoException).code === "ENOENT") return end;
      throw cause;
    }
  });
}

async function rewrite(
  path: string,
  end: LogEnd,
  entries: readonly object[],
  lock: TableLock,
): Promise<void> {
  const directory = dirname(path);
  await orCannotUse(path, async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await copyFile(path, `${path}-damaged`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    await replaceLog(path, end, lock.check, spellLines(entries, end).lines);
    await syncDirectory(dirname(directory));
  });
}
