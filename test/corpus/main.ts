import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { compareFormats } from "./compare-formats.ts";
import { listFiles } from "./list-files.ts";
import { findBreach, findGapInRefusal } from "./rules.ts";
import { tryRecords, tryTable } from "./try-file.ts";

const SUITES = new Set(["csv-suites", "json-suites", "orders"]);
/** Files that are read from every folder of the corpus. */
const PACKED = /\.(?:xlsx|xlsm|zip|gz)$/i;

/** The results for the files of one folder. */
interface FolderCount {
  files: number;
  read: number;
  /** Files whose rows are read, but an option has to say to which fields their columns go. */
  asked: number;
  refused: number;
  crashed: number;
  rows: number;
  rejected: number;
}

const directory = resolve(process.argv[2] ?? "../shared/corpus");
if (existsSync(directory)) {
  process.exitCode = await walkCorpus(directory);
} else {
  say(`there is no corpus at ${directory}: nothing to walk (name another place: npm run corpus -- DIR)`);
}

async function walkCorpus(directory: string): Promise<number> {
  const folders = new Map<string, FolderCount>();
  const total = emptyCount();
  const breaches: string[] = [];
  const files = listFiles(directory).filter(
    (path) => SUITES.has(path.split("/")[0] ?? "") || PACKED.test(path),
  );
  for (const file of files) {
    const path = join(directory, file);
    const name = folderOf(file);
    const folder = folders.get(name) ?? emptyCount();
    folders.set(name, folder);
    const table = await tryTable(path);
    const records = await tryRecords(path);
    const breach = await findBreach(path, table);
    if (breach !== undefined) breaches.push(`${file}: ${breach}`);
    for (const told of [table, records]) {
      if (told.kind === "crashed") breaches.push(`${file}: crashed: ${describe(told.error)}`);
      const gap = told.kind === "refused" ? findGapInRefusal(path, told.error) : undefined;
      if (gap !== undefined && told.kind === "refused") breaches.push(`${gap}: ${told.error.message}`);
    }
    for (const count of [folder, total]) {
      count.files += 1;
      if (table.kind === "crashed" || records.kind === "crashed") count.crashed += 1;
      else if (table.kind === "refused") count.refused += 1;
      else if (records.kind === "refused") count.asked += 1;
      else count.read += 1;
      if (records.kind === "read") {
        count.rows += records.sent;
        count.rejected += records.rejected;
      }
    }
  }
  say(line("folder", ["files", "read", "asked", "refused", "crashed", "rows", "rejected"]));
  for (const [name, count] of folders) say(line(name, Object.values(count)));
  say(line("total", Object.values(total)));
  const formats = join(directory, "formats");
  if (existsSync(formats)) {
    const { lines, unjudged } = compareFormats(formats);
    for (const text of lines) say(text);
    breaches.push(...unjudged);
  }
  for (const breach of breaches) say(`BROKEN ${breach}`);
  say(breaches.length === 0 ? "all rules hold" : `${breaches.length} rules are broken`);
  return breaches.length === 0 ? 0 : 1;
}

/** The suite of a file, or its top folder. */
function folderOf(file: string): string {
  const [top = "", suite] = dirname(file).split("/");
  return top === "orders" || suite === undefined ? top : `${top}/${suite}`;
}

function emptyCount(): FolderCount {
  return { files: 0, read: 0, asked: 0, refused: 0, crashed: 0, rows: 0, rejected: 0 };
}

function line(name: string, columns: readonly (string | number)[]): string {
  return name.padEnd(28) + columns.map((column) => String(column).padStart(9)).join("");
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
