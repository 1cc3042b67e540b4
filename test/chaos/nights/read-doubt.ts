import { readFile, writeFile } from "node:fs/promises";
import type { NightFile } from "./life.ts";
import type { Row } from "./shop.ts";

/** A run's rows in doubt, as `rec-push runs` lists them. */
export interface ListedDoubt {
  readonly state: string;
  readonly inDoubt: number;
  readonly doubt: string;
  readonly inDoubtAt: readonly { readonly first: number; readonly last: number }[];
  readonly doubtFile?: string;
  readonly next: readonly string[];
}

/** The rows that a run has in doubt: those in its file of rows in doubt, else those between the named lines. */
export async function readDoubt(file: NightFile, listed: ListedDoubt): Promise<readonly Row[]> {
  const lines = await readLines(listed.doubtFile);
  // Rows may have been deleted from it before a kill.
  const isNamed =
    lines?.length !== listed.inDoubt
      ? (line: number) => listed.inDoubtAt.some(({ first, last }) => first <= line && line <= last)
      : (line: number) => lines.includes(line);
  return file.rows.filter((_, at) => isNamed(file.lines[at] ?? 0));
}

/** Deletes from a file of rows in doubt those that the service holds, as a person who has looked does. */
export async function deleteThere(path: string, file: NightFile, there: ReadonlySet<Row>): Promise<void> {
  const text = await readFile(path, "latin1");
  const gone = new Set(file.lines.filter((_, at) => there.has(file.rows[at]!)));
  const left = text.split("\n").filter((line) => !gone.has(lineOf(line) ?? -1));
  await writeFile(path, left.join("\n"), "latin1");
}

async function readLines(path: string | undefined): Promise<readonly number[] | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, "latin1").catch(() => undefined);
  return text?.split("\n").flatMap((line) => lineOf(line) ?? []);
}

/** The line number of the row in a line of the file; `undefined` for the header. */
function lineOf(line: string): number | undefined {
  const [, number] = /^(?:\{"_in_doubt_line":)?["']?line (\d+)(?:\.\d+)? of doubt /.exec(line) ?? [];
  return number === undefined ? undefined : Number(number);
}
