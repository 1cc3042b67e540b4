import { randomUUID } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { RowsKind } from "../model/marker-columns.ts";
import { showText } from "../model/text.ts";
import type { WrittenFile } from "../store/book-entries.ts";
import type { Book } from "../store/book.ts";
import type { RunPlace } from "../store/close-finished.ts";
import { allBooks, bookOf } from "../store/find-books.ts";
import type { RunIdentity } from "../store/run-facts.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { type AskedPlace, noteAsked, noteWritten, pathFor, placeInRun, readKeptPlace } from "./kept-place.ts";
import { claimPath } from "./kept-results.ts";
import type { CompleteFile } from "./write-rows.ts";

/** An input whose files are placed. */
interface PlacedInput {
  readonly isCsv: boolean;
  /** Paths that the inputs of the command have taken. */
  readonly taken: Set<string>;
  readonly tell: (text: string) => void;
  /** `undefined` if nothing is kept. */
  readonly known: KnownFiles | undefined;
}

/**
 * The place of the files of rows of one input. A file there is replaced only if nobody has changed it and its own run
 * wrote it, or if it holds exactly the same rows of the same table. Any other file stays, and the name gets a number.
 */
export class RowsPlace {
  #asked: AskedPlace | undefined;
  readonly #input: PlacedInput;
  /** Files whose path has been decided. */
  #paths = new Map<RowsKind, string>();
  /** SHA-256 of the files that this run wrote. */
  readonly #own = new Set<string>();
  #directory: string | undefined;
  #isTakenUp = false;

  constructor(asked: AskedPlace | undefined, input: PlacedInput) {
    this.#asked = asked;
    this.#input = input;
  }

  /** Takes over the place of a run that is resumed, unless another one is asked for. */
  async takeUp(directory: string): Promise<void> {
    const { known } = this.#input;
    if (known === undefined) throw new TypeError("without runs that are kept, no earlier one has a place");
    const book = await bookOf(known.state, known.lock.table);
    const { asked, paths, sha256 } = await readKeptPlace({ book, directory });
    this.#directory = directory;
    if (!isOther(this.#asked, asked)) {
      this.#asked = asked ?? this.#asked;
      this.#paths = new Map(paths);
      this.#isTakenUp = asked !== undefined || paths.size > 0;
    }
    for (const hash of sha256) this.#own.add(hash);
  }

  /** The run whose files they are; `undefined` if nothing is kept. */
  get run(): string | undefined {
    return this.#directory === undefined ? undefined : basename(this.#directory);
  }

  /** Where a file of that kind is, or will go if its name is free; `undefined` if there is no place. */
  pathOf(kind: RowsKind): string | undefined {
    return this.#paths.get(kind) ?? (this.#asked && pathFor(this.#asked, kind, this.#input.isCsv));
  }

  /**
   * Fixes the place for later processes of the run in that directory; if no place was given, it is the directory
   * itself.
   */
  async begin(directory: string | undefined): Promise<void> {
    this.#directory = directory;
    if (directory === undefined) return;
    const { known } = this.#input;
    if (known !== undefined && !this.#isTakenUp && isSaid(this.#asked))
      await noteAsked(known, basename(directory), this.#asked);
    this.#asked ??= placeInRun(directory);
  }

  /**
   * Runs what needs the place; if the folder of the input cannot be written to, runs it once more with the run's
   * directory.
   */
  async orInRun<Result>(act: () => Promise<Result>): Promise<Result> {
    try {
      return await act();
    } catch (error) {
      const asked = this.#asked;
      const isElsewhere = asked?.kind === "directory" && asked.isDefault && this.#directory !== undefined;
      if (!isElsewhere || !(error instanceof RecPushError) || error.code !== "cannot-write") throw error;
      this.#asked = placeInRun(this.#directory!);
      this.#paths.clear();
      this.#input.tell(`${error.message}; ${showText(this.#directory!, 400)} is used instead`);
      return act();
    }
  }

  /** The path for a file that is complete; noted, so that a later process recognises the file. */
  async claim(
    complete: CompleteFile,
    aboutOf: (path: string) => Pick<WrittenFile, "mend" | "later" | "doubt"> = () => ({}),
  ): Promise<string> {
    const { kind, sha256, rowsSum, rows } = complete;
    const path = await this.#freePath(complete);
    this.#own.add(sha256);
    this.#paths.set(kind, path);
    this.#input.taken.add(resolve(path));
    const { known } = this.#input;
    if (known !== undefined && this.run !== undefined)
      await noteWritten(known, {
        runs: [this.run],
        path,
        sha256,
        rowsSum,
        rows,
        kind,
        ...aboutOf(path),
      });
    return path;
  }

  async #freePath(complete: CompleteFile): Promise<string> {
    const { kind } = complete;
    const known = this.#paths.get(kind);
    const path = await claimPath(this.run ?? randomUUID(), this.#candidates(kind), (there, hash) =>
      this.#mayReplace(there, hash, complete),
    );
    const first = pathFor(this.#asked!, kind, this.#input.isCsv);
    if (kind === "rejects" && path !== known && path !== first)
      this.#input.tell(
        `${showText(first, 400)} already exists and is left as it is: the rows go to ${showText(path, 400)}`,
      );
    return path;
  }

  async #mayReplace(path: string, hash: string, by: CompleteFile): Promise<boolean> {
    // A file of earlier doubt stays until that is decided.
    if (by.kind === "inDoubt") return false;
    const written = this.#paths.get(by.kind);
    if (path !== written && this.#input.taken.has(resolve(path))) return false;
    if (this.#own.has(hash)) return true;
    const { known } = this.#input;
    return known === undefined ? hash === by.sha256 : isKnownFile(known, path, hash, by.rowsSum);
  }

  *#candidates(kind: RowsKind): Generator<string> {
    const known = this.#paths.get(kind);
    if (known !== undefined) yield known;
    for (let number = 1; ; number++) yield pathFor(this.#asked!, kind, this.#input.isCsv, number);
  }
}

/** True for a place that the user named; the folder of the input is only the default. */
function isSaid(asked: AskedPlace | undefined): asked is AskedPlace {
  return asked?.kind === "file" || asked?.isDefault === false;
}

/** True if the place asked for differs from the earlier one. */
function isOther(asked: AskedPlace | undefined, then: AskedPlace | undefined): boolean {
  if (!isSaid(asked)) return false;
  if (asked.kind === "file") return then?.kind !== "file" || resolve(asked.path) !== resolve(then.path);
  return then?.kind !== "directory" || resolve(asked.directory) !== resolve(then.directory);
}

/** Where a push keeps its runs, and the target that its files of rows belong to. */
export interface KnownFiles extends RunPlace {
  readonly target: Omit<RunIdentity, "content">;
}

/** A rejects file, and the run whose rows it holds. */
export interface RejectsOfRun {
  readonly path: string;
  readonly run: string;
  /** False if it was moved or deleted since. */
  readonly isThere: boolean;
}

/** For so long after rejects were written, pushes note the keys that they send. */
export const EXPECTED_MS = 30 * 86_400_000;

type Target = Pick<KnownFiles, "state" | "target">;

/** True if a file is exactly as a push to the target wrote it, with these rows. */
async function isKnownFile(
  { state, target }: Target,
  path: string,
  sha256: string,
  rowsSum: string,
): Promise<boolean> {
  const book = await bookOf(state, target);
  const file = book.files.get(resolve(path));
  return file?.sha256 === sha256 && file.rowsSum === rowsSum && isOfTarget(book, file, target);
}

/** The rejects files that pushes to the target wrote in the last 30 days. */
export async function findRejectsOf({ state, target }: Target): Promise<readonly RejectsOfRun[]> {
  const found: RejectsOfRun[] = [];
  const oldest = Date.now() - EXPECTED_MS;
  const book = await bookOf(state, target);
  for (const file of book.files.values()) {
    const { kind, path, runs, at } = file;
    if (kind !== "rejects" || Date.parse(at) < oldest || !isOfTarget(book, file, target)) continue;
    found.push({ path, run: runs[0]!, isThere: ((await stat(path).catch(() => undefined))?.size ?? 0) > 0 });
  }
  return found;
}

/** The run whose rejects a push to the target wrote to a path; `undefined` if none did. */
export async function findRejectsAt({ state, target }: Target, path: string): Promise<string | undefined> {
  const book = await bookOf(state, target);
  const real = await realpath(path).catch(() => path);
  for (const place of new Set([resolve(path), real])) {
    const file = book.files.get(place);
    if (file?.kind === "rejects" && isOfTarget(book, file, target)) return file.runs[0];
  }
  return undefined;
}

/** A table has one book, whatever the --run-key. */
function isOfTarget(book: Book, { runs }: WrittenFile, { runKey }: Target["target"]): boolean {
  return book.run(runs[0]!)?.runKey === runKey;
}

/** The run of any table whose rows a file holds, by the last note; `undefined` if there is no note. */
export async function runOfFile(state: StateDirectory, path: string): Promise<string | undefined> {
  const files = (await allBooks(state)).flatMap((book) => book.files.get(resolve(path)) ?? []);
  return files.sort((left, right) => Date.parse(left.at) - Date.parse(right.at)).at(-1)?.runs[0];
}
