import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, extname, isAbsolute, join, relative, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { RowsKind } from "../model/marker-columns.ts";
import type { WrittenFile } from "../store/book-entries.ts";
import type { RunPlace } from "../store/close-finished.ts";
import { bookOf } from "../store/find-books.ts";
import type { StoredRun } from "../store/summarise-run.ts";

/** A run, with the book that names its files. */
export type NotedRun = Pick<StoredRun, "book" | "directory">;

/** The notes of earlier processes of a run. */
export interface KeptPlace {
  /** Files at a path of their own, by kind. */
  readonly paths: ReadonlyMap<RowsKind, string>;
  /** The hashes of all files that they wrote: a file with none of these was changed by somebody. */
  readonly sha256: ReadonlySet<string>;
  /** The rejects, as they were last written. */
  readonly rejects: KeptRows | undefined;
  /** The files of rows in doubt, in the order of writing. */
  readonly doubts: readonly KeptRows[];
}

/** A file of rows that a run has written. */
interface KeptRows extends WrittenFile {
  readonly rows: number;
}

/** Reads the notes of a run on its files of rows; after a kill, the last file may not have got to its path. */
export function readKeptPlace({ book, directory }: NotedRun): KeptPlace {
  const notes = book.writtenBy(basename(directory));
  const files = notes.filter((note): note is KeptRows => note.rows !== undefined);
  return {
    paths: new Map(notes.flatMap(({ kind, path }) => (kind === undefined ? [] : [[kind, path] as const]))),
    sha256: new Set(notes.map(({ sha256 }) => sha256)),
    rejects: files.findLast(({ kind }) => kind === "rejects"),
    doubts: files.filter(({ doubt }) => doubt !== undefined),
  };
}

/** The size of a file; 0 if there is none. */
export async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** Hex SHA-256 of a file. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** Notes a file in the book before it is moved to its path; on disk when this resolves, so that it is recognised afterwards. */
export async function noteWritten({ state, lock }: RunPlace, file: Omit<WrittenFile, "at">): Promise<void> {
  const files = [{ ...file, path: resolve(file.path), at: new Date().toISOString() }];
  await (await bookOf(state, lock.table)).append(lock, { entry: "wrote", files });
}

/** Where the files of rows of one input go: how their names begin, before a number where one is taken, and how they end. */
export interface AskedPlace extends Readonly<Record<RowsKind, string>> {
  readonly csv: string;
  readonly json: string;
  /** False for the input's own folder and that of the run, which nobody named. */
  readonly isNamed: boolean;
}

const OWN_MARK = /\.(?:rejects|in-doubt)(?:-\d+)?$/;

/** The place where the user names the file of the rejects; the other files go beside it. */
export function placeAt(path: string): AskedPlace {
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  return { rejects: stem, inDoubt: `${stem}.in-doubt`, csv: extension, json: extension, isNamed: true };
}

/**
 * The place in a directory for an input: for `orders.csv.gz` it is `orders.rejects.csv`, and so it is if that file
 * itself is the input.
 */
export function placeIn(directory: string, file: string, isNamed = true): AskedPlace {
  const name = file === "-" ? "stdin" : basename(file).replace(/\.(?:gz|zip)$/i, "");
  const extension = extname(name);
  const stem = join(directory, name.slice(0, name.length - extension.length).replace(OWN_MARK, ""));
  // Rows of a workbook are written as CSV.
  const isOfCsv = extension !== "" && !/^\.(?:json|ndjson|jsonl|xls[xm])$/i.test(extension);
  const csv = isOfCsv ? extension : ".csv";
  return { rejects: `${stem}.rejects`, inDoubt: `${stem}.in-doubt`, csv, json: ".ndjson", isNamed };
}

/** The place in the directory of a run. */
export function placeInRun(directory: string): AskedPlace {
  const [rejects, inDoubt] = [join(directory, "rejects"), join(directory, "in-doubt")];
  return { rejects, inDoubt, csv: ".csv", json: ".ndjson", isNamed: false };
}

/** The path of a file of rows; numbers above the first are for when the name is taken. */
export function pathFor(asked: AskedPlace, kind: RowsKind, isCsv: boolean, number = 1): string {
  return `${asked[kind]}${number === 1 ? "" : `-${number}`}${isCsv ? asked.csv : asked.json}`;
}

/** A place that the user named, usable by a process in another directory. */
export function saidPlace(asked: AskedPlace | undefined): AskedPlace | undefined {
  if (asked?.isNamed !== true) return undefined;
  return { ...asked, rejects: resolve(asked.rejects), inDoubt: resolve(asked.inDoubt) };
}

/** True if this path is the first one of a file of rows. */
export function mayHold(asked: AskedPlace, path: string): boolean {
  const paths = (["rejects", "inDoubt"] as const).flatMap((kind) => [
    pathFor(asked, kind, true),
    pathFor(asked, kind, false),
  ]);
  return paths.some((one) => resolve(one) === resolve(path));
}

/** True if a path is in a directory, at any depth. */
export function isWithin(directory: string, path: string): boolean {
  const way = relative(resolve(directory), resolve(path));
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}
