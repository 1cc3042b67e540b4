import { existsSync, readdirSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BookEntry } from "../../src/store/book-entries.ts";
import { Book } from "../../src/store/book.ts";
import { listRuns } from "../../src/store/table-place.ts";
import { heldWith } from "../store/run-facts.ts";

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

/** The names of the runs of all tables. */
export async function allRunsIn(state: string): Promise<readonly string[]> {
  return [...(await listRuns({ tables: join(state, "tables") })).keys()];
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

/**
 * Brings a table back to where its book had only its first lines, as a process that was killed then left it: the lock names the
 * last of them.
 */
export async function cutBook(table: string, lines: number): Promise<void> {
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
  const entries = (await linesOfBook(table))
    .map((line) => line.slice(9))
    .filter((line) => line.includes(`"run":"${run}"`))
    .map((line) => {
      const { n: _, fence: __, ...entry } = JSON.parse(line) as BookEntry & { n: number; fence: number };
      return entry;
    });
  const book = new Book(table);
  await book.refresh();
  const lock = { ...heldWith(1), found: book.end };
  await book.append(
    lock,
    ...names.flatMap((name) => entries.map((entry) => Object.assign({}, entry, { run: name }))),
  );
}
