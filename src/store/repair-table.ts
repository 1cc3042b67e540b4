import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BookEntry } from "./book-entries.ts";
import { Book } from "./book.ts";
import { RunAccount } from "./count-run.ts";
import type { TableLock } from "./held-lock.ts";
import { EMPTY_LOG, type LogEnd, replaceLog, salvageLog, spellLines } from "./log.ts";
import { begunWith } from "./open-run.ts";
import type { RunFacts } from "./run-facts.ts";
import { type JournalEntry, journalDamaged, readJournal } from "./read-journal.ts";
import {
  cannotUse,
  orCannotUse,
  readOwnFile,
  type StateDirectory,
  syncDirectory,
} from "./state-directory.ts";
import { placeOfRun, placeOfTable, runsOfTable, type TableId } from "./table-place.ts";

/**
 * A damaged file is written anew from its readable lines, whole or not at all; the damaged file stays beside it. A kill at
 * any moment leaves one of the two, and the same command again does the rest.
 */

/** The readable part of the journal of a run. */
interface IntactJournal {
  readonly directory: string;
  readonly account: RunAccount;
  readonly end: LogEnd;
}

/** Reads a journal up to its damage; of one that is gone, nothing. Throws a machine error if something else has its place. */
export async function readIntactRun(directory: string, facts: RunFacts): Promise<IntactJournal> {
  const path = join(directory, "journal");
  const account = new RunAccount(facts);
  let end: LogEnd | undefined;
  try {
    end = await readJournal(
      path,
      (entry, line) => account.take(entry, line),
      (line, how, intact) => {
        end = intact;
        return journalDamaged(path, line, how);
      },
    );
    return { directory, account, end };
  } catch (cause) {
    if (end !== undefined) return { directory, account, end };
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return { directory, account, end: EMPTY_LOG };
    throw cannotUse(directory, cause);
  }
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
    await replaceLog(path, end, lock.check, spellLines(entries, lock.fence, end).lines);
    await syncDirectory(dirname(directory));
  });
}

/** The table of a book, from the book or a journal in its directory; `undefined` if neither names it. */
export async function findOwner(state: StateDirectory, directory: string): Promise<TableId | undefined> {
  const { entries } = await readLines(directory);
  const found: TableId[] = entries.flatMap((entry) => (entry.entry === "table" ? [entry] : []));
  for (const { identity } of await factsIn(directory)) found.push(identity);
  const own = found.find((table) => placeOfTable(state, table) === directory);
  return own && { url: own.url, queries: own.queries };
}

/**
 * Writes a damaged book anew with the lines that can be read, and with the runs that only their journals name. It follows
 * no line of the damaged one, so that the table's creates stop until a person has said which records the service holds:
 * lost lines may have named creates. Returns how many lines were lost.
 */
export async function repairBook(directory: string, lock: TableLock): Promise<number> {
  const { entries, lost } = await readLines(directory);
  const known = new Set(
    entries.flatMap((entry) => (entry.entry === "begin" || entry.entry === "close" ? [entry.run] : [])),
  );
  const adopted: BookEntry[] = [];
  for (const facts of await factsIn(directory))
    if (!known.has(facts.run)) adopted.push({ entry: "begin", ...begunWith(facts) });
  const first: BookEntry = { entry: "table", ...lock.table };
  const rest = entries.filter(({ entry }) => entry !== "table");
  await rewrite(new Book(directory).path, EMPTY_LOG, [first, ...rest, ...adopted], lock);
  return lost;
}

/** The facts of the runs whose journals lie in the directory of a table, as far as these can be read. */
async function factsIn(directory: string): Promise<readonly RunFacts[]> {
  const found: RunFacts[] = [];
  for (const run of await runsOfTable(directory)) {
    const take = (entry: JournalEntry): void => void (entry.entry === "run" && found.push(entry.facts));
    await readJournal(join(placeOfRun(directory, run), "journal"), take).catch(() => undefined);
  }
  return found;
}

async function readLines(
  directory: string,
): Promise<{ readonly entries: readonly BookEntry[]; readonly lost: number }> {
  const { path } = new Book(directory);
  const entries: BookEntry[] = [];
  const log = await orCannotUse(path, () => readOwnFile(path));
  return { entries, lost: salvageLog(log, (entry) => entries.push(entry as BookEntry)) };
}
