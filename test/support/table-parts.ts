import { existsSync, readdirSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BookEntry } from "../../src/store/book-entries.ts";
import { Book } from "../../src/store/book.ts";
import { listKnownRuns } from "../../src/store/close-finished.ts";
import { placesIn } from "../../src/store/state-directory.ts";
import { spellLines } from "../../src/store/log.ts";
import { heldWith } from "../store/run-facts.ts";
import { lastJournals } from "./run-main.ts";

/** The directories of the tables in a state directory, which is given by its path. */
async function tablesIn(state: string): Promise<readonly string[]> {
  const names = await readdir(join(state, "tables"));
  return names.map((name) => join(state, "tables", name));
}

/** The directory with the runs of the only table, or of the first one; it need not be there yet. */
export function runsIn(state: string): string {
  const tables = join(state, "tables");
  const [table = "none"] = existsSync(tables) ? readdirSync(tables) : [];
  return join(tables, table, "runs");
}

/** The names of the runs of all tables that are kept. */
export async function allRunsIn(state: string): Promise<readonly string[]> {
  return listKnownRuns(placesIn(state));
}

/** The directory of the only table. */
export async function tableIn(state: string): Promise<string> {
  const [table = "", ...others] = await tablesIn(state);
  if (others.length > 0) throw new Error(`${state} has several tables`);
  return table;
}

/** The lines of a table's book, each with its line feed. */
export async function linesOfBook(table: string): Promise<readonly string[]> {
  return (await readFile(join(table, "book"), "utf8")).split(/(?<=\n)/);
}

async function entriesOfBook(table: string): Promise<readonly BookEntry[]> {
  const lines = await linesOfBook(table);
  return lines.map((line) => JSON.parse(line.slice(9)) as BookEntry);
}

/**
 * Brings a table back to where its book had only its first lines, as a process that was killed then left it: the lock names the
 * last of them.
 */
async function cutBook(table: string, lines: number): Promise<void> {
  const kept = (await linesOfBook(table)).slice(0, lines);
  const sum = Number.parseInt(kept.at(-1)?.slice(0, 8) ?? "0", 16);
  await writeFile(join(table, "book"), kept.join(""));
  for (const name of await readdir(table))
    if (name.startsWith("lock."))
      await writeFile(join(table, name), JSON.stringify({ book: { number: kept.length, sum } }));
}

/** Takes back that the last run of the only table was closed, as if its process had been killed just before. */
export async function unclose(state: string): Promise<void> {
  const table = await tableIn(state);
  const lines = await linesOfBook(table);
  if (lines.at(-1)?.includes('"entry":"close"') !== true) throw new Error("the last run is not closed");
  await cutBook(table, lines.length - 1);
  for (const [path, journal] of lastJournals) {
    if (!path.startsWith(table)) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, journal);
  }
}

/** Lets the book of the only table say that its runs were closed so many days ago. */
export async function ageClosed(state: string, days: number): Promise<void> {
  const table = await tableIn(state);
  const at = new Date(Date.now() - days * 86_400_000).toISOString();
  const entries = await entriesOfBook(table);
  const aged = entries.map((entry) => (entry.entry === "close" ? { ...entry, at } : entry));
  await writeFile(join(table, "book"), spellLines(aged).lines);
  await cutBook(table, entries.length);
}

/** The figures of files that are kept for the first table. */
export async function figuresIn(state: string): Promise<readonly object[]> {
  const [table = ""] = await tablesIn(state);
  const book = new Book(table);
  await book.refresh();
  return book.figures;
}

/** Lets the book of the only table know copies of a closed run under other names. */
export async function copyInBook(state: string, run: string, names: readonly string[]): Promise<void> {
  const table = await tableIn(state);
  const entries = (await entriesOfBook(table)).filter((entry) => "run" in entry && entry.run === run);
  const book = new Book(table);
  await book.refresh();
  const lock = { ...heldWith(1), found: book.end };
  await book.append(
    lock,
    ...names.flatMap((name) => entries.map((entry) => Object.assign({}, entry, { run: name }))),
  );
}
