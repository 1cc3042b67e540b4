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
  /** The rejects, as they were last written; `undefined` if their rename did not happen. */
  readonly rejects: KeptRows | undefined;
  /** The files of rows in doubt, in the order of writing; without files whose rename did not happen. */
  readonly doubts: readonly KeptRows[];
}

/** A file of rows that a run has written. */
interface KeptRows extends WrittenFile {
  readonly rows: number;
  /** The hashes that were noted before its own. */
  readonly before: ReadonlySet<string>;
}

/** Reads the notes of a run on its files of rows. */
export async function readKeptPlace({ book, directory }: NotedRun): Promise<KeptPlace> {
  const run = basename(directory);
  const paths = new Map<RowsKind, string>();
  const sha256 = new Set<string>();
  const files: KeptRows[] = [];
  for (const note of book.writtenBy(run)) {
    const { kind, path, rows } = note;
    if (kind !== undefined) paths.set(kind, path);
    if (rows !== undefined) files.push({ ...note, rows, before: new Set(sha256) });
    sha256.add(note.sha256);
  }
  const there: KeptRows[] = [];
  for (const [at, file] of files.entries()) {
    const isLast = files.findLastIndex(({ path }) => path === file.path) === at;
    if (!isLast || !(await isReplacing(run, file))) there.push(file);
  }
  const rejects = files.findLast(({ kind, path }) => kind === "rejects" && path === paths.get("rejects"));
  return {
    paths,
    sha256,
    rejects: rejects && there.find((file) => file === rejects),
    doubts: there.filter(({ doubt }) => doubt !== undefined),
  };
}

/**
 * True if a path still holds the file that was to be replaced, or only the claim: the process was killed between the note
 * and the rename. A file that was changed since does not count.
 */
async function isReplacing(run: string, { path, sha256, before }: KeptRows): Promise<boolean> {
  const now = await hashOf(path).catch(() => "");
  return now !== sha256 && (before.has(now) || isClaim(run, now));
}

/** The size of a file; 0 if there is none. */
export async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/**
 * The text that claims a place for a file of rows, so that no other process uses it. If this process is killed before the
 * file is there, the run that goes on finds its own claim.
 */
export function claimOf(run: string): string {
  return `rec-push writes rows of the run ${run} here\n`;
}

/** True if a file with this hash only keeps a place for rows of a run. */
export function isClaim(run: string, hash: string): boolean {
  return hash === createHash("sha256").update(claimOf(run)).digest("hex");
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

/** Where the files of rows of one input go. */
export type AskedPlace =
  /** A path that the user gave for the rejects; the other files go beside it. */
  | { readonly kind: "file"; readonly path: string }
  /** Names that rec-push chooses: if one is taken, it gets a number. */
  | {
      readonly kind: "directory";
      readonly directory: string;
      /** The part before the kind; empty in the directory of a run. */
      readonly stem: string;
      /** The extension of the input, with its dot. */
      readonly extension: string;
      /** True for the input's own folder, which nobody named. */
      readonly isDefault: boolean;
    };

const MARKS: Readonly<Record<RowsKind, string>> = {
  rejects: "rejects",
  inDoubt: "in-doubt",
};
const OWN_MARK = new RegExp(`\\.(?:${Object.values(MARKS).join("|")})(?:-\\d+)?$`);

/**
 * The place in a directory for an input: for `orders.csv.gz` it is `orders.rejects.csv`, and so it is if that file
 * itself is the input.
 */
export function placeIn(directory: string, file: string, isDefault = false): AskedPlace {
  const name = file === "-" ? "stdin" : basename(file).replace(/\.(?:gz|zip)$/i, "");
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length).replace(OWN_MARK, "");
  return { kind: "directory", directory, stem, extension, isDefault };
}

/** The place in the directory of a run. */
export function placeInRun(directory: string): AskedPlace {
  return { kind: "directory", directory, stem: "", extension: "", isDefault: false };
}

/** The path of a file of rows; numbers above the first are for when the name is taken. */
export function pathFor(asked: AskedPlace, kind: RowsKind, isCsv: boolean, number = 1): string {
  const mark = `${MARKS[kind]}${number === 1 ? "" : `-${number}`}`;
  if (asked.kind === "file") {
    const extension = extname(asked.path);
    const stem = asked.path.slice(0, asked.path.length - extension.length);
    if (kind === "rejects") return number === 1 ? asked.path : `${stem}-${number}${extension}`;
    return `${stem}.${mark}${extension}`;
  }
  const { directory, stem, extension } = asked;
  // Rows of a workbook are written as CSV.
  const isOfCsv = extension !== "" && !/^\.(?:json|ndjson|jsonl|xls[xm])$/i.test(extension);
  const ending = isCsv ? (isOfCsv ? extension : ".csv") : ".ndjson";
  return join(directory, `${stem}${stem === "" ? "" : "."}${mark}${ending}`);
}

/** A place that the user named, usable by a process in another directory; the folder of the input is only the default. */
export function saidPlace(asked: AskedPlace | undefined): AskedPlace | undefined {
  if (asked === undefined || (asked.kind === "directory" && asked.isDefault)) return undefined;
  return asked.kind === "file"
    ? { ...asked, path: resolve(asked.path) }
    : { ...asked, directory: resolve(asked.directory) };
}

/** True if this path is the first one of a file of rows. */
export function mayHold(asked: AskedPlace, path: string): boolean {
  const kinds = Object.keys(MARKS) as RowsKind[];
  const paths = kinds.flatMap((kind) => [pathFor(asked, kind, true), pathFor(asked, kind, false)]);
  return paths.some((one) => resolve(one) === resolve(path));
}

/** True if a path is in a directory, at any depth. */
export function isWithin(directory: string, path: string): boolean {
  const way = relative(resolve(directory), resolve(path));
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}
