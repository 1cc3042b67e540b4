import { lstat, open } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { RowsKind } from "../model/marker-columns.ts";
import { showText } from "../model/text.ts";
import type { WrittenFile } from "../store/book-entries.ts";
import type { RunPlace } from "../store/close-finished.ts";
import { bookOf } from "../store/find-books.ts";
import type { StoredRun } from "../store/summarise-run.ts";
import {
  type AskedPlace,
  hashOf,
  noteWritten,
  pathFor,
  placeInRun,
  readKeptPlace,
  saidPlace,
} from "./kept-place.ts";
import { isOfTarget, type TablePlace } from "./rows-to-mend.ts";
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

/** Where a push keeps its runs, and the table that its files of rows belong to. */
export type KnownFiles = TablePlace & RunPlace;

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

  constructor(asked: AskedPlace | undefined, input: PlacedInput) {
    this.#asked = asked;
    this.#input = input;
  }

  /** Takes over the place of a run that is resumed, unless another one is asked for. */
  takeUp({ book, directory, facts: { rejects } }: Pick<StoredRun, "book" | "directory" | "facts">): void {
    const { paths, sha256 } = readKeptPlace({ book, directory });
    const [then, now] = [rejects as AskedPlace | undefined, saidPlace(this.#asked)];
    this.#directory = directory;
    if (now === undefined || now.rejects === then?.rejects) {
      this.#asked = then ?? this.#asked;
      this.#paths = new Map(paths);
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

  /** Fixes the place: if none was given, it is the directory of the run. */
  begin(directory: string | undefined): void {
    this.#directory = directory;
    if (directory !== undefined) this.#asked ??= placeInRun(directory);
  }

  /** The path for a file that is complete; noted, so that a later process recognises the file. */
  async claim(
    complete: CompleteFile,
    aboutOf: (path: string) => Pick<WrittenFile, "mend" | "later" | "doubt"> = () => ({}),
  ): Promise<string> {
    const { kind, sha256 } = complete;
    const path = await this.#freePath(complete, aboutOf("").doubt);
    this.#own.add(sha256);
    this.#paths.set(kind, path);
    this.#input.taken.add(resolve(path));
    const { known } = this.#input;
    if (known !== undefined && this.run !== undefined)
      await noteWritten(known, { runs: [this.run], path, ...complete, ...aboutOf(path) });
    return path;
  }

  async #freePath(complete: CompleteFile, doubt: string | undefined): Promise<string> {
    const { kind } = complete;
    const known = this.#paths.get(kind);
    const others = kind === "inDoubt" ? await this.#pathsOfOtherDoubts(doubt) : new Set<string>();
    const path = await claimPath(this.#candidates(kind, others), (there, isEmpty) =>
      this.#mayReplace(there, isEmpty, complete),
    );
    const first = pathFor(this.#asked!, kind, this.#input.isCsv);
    if (kind === "rejects" && path !== known && path !== first)
      this.#input.tell(
        `${showText(first, 400)} already exists and is left as it is: the rows go to ${showText(path, 400)}`,
      );
    return path;
  }

  async #mayReplace(path: string, isEmpty: boolean, by: CompleteFile): Promise<boolean> {
    const written = this.#paths.get(by.kind);
    // The process that kept the place was killed before it moved the file there.
    if (isEmpty) return path === written;
    // A file of earlier doubt stays until that is decided.
    if (by.kind === "inDoubt") return false;
    if (path !== written && this.#input.taken.has(resolve(path))) return false;
    const hash = await hashOf(path).catch(() => "");
    if (this.#own.has(hash)) return true;
    const { known } = this.#input;
    if (known === undefined) return hash === by.sha256;
    // Exactly as a push to the target wrote it, with these rows.
    const book = await bookOf(known.state, known.target);
    const file = book.files.get(resolve(path));
    return file?.sha256 === hash && file.rowsSum === by.rowsSum && isOfTarget(book, file, known.target);
  }

  /**
   * Where rows of other doubts of this run have been, also if they are gone: a line that decides by such a file is in a shell's
   * history, and must not decide another doubt when it is typed again.
   */
  async #pathsOfOtherDoubts(doubt: string | undefined): Promise<ReadonlySet<string>> {
    const { known } = this.#input;
    if (known === undefined || this.#directory === undefined) return new Set();
    const book = await bookOf(known.state, known.lock.table);
    const { doubts } = readKeptPlace({ book, directory: this.#directory });
    return new Set(doubts.filter((file) => file.doubt !== doubt).map(({ path }) => resolve(path)));
  }

  *#candidates(kind: RowsKind, without: ReadonlySet<string>): Generator<string> {
    const known = this.#paths.get(kind);
    if (known !== undefined && !without.has(resolve(known))) yield known;
    for (let number = 1; ; number++) {
      const path = pathFor(this.#asked!, kind, this.#input.isCsv, number);
      if (!without.has(resolve(path))) yield path;
    }
  }
}

/**
 * The first of these paths that is free, or whose file may be replaced. An empty file keeps a free one from other processes until the
 * file is moved there. Throws what node:fs throws.
 */
async function claimPath(
  candidates: Iterable<string>,
  mayReplace: (path: string, isEmpty: boolean) => Promise<boolean>,
): Promise<string> {
  for (const path of candidates) {
    const there = await lstat(path).catch(unlessMissing);
    if (there === undefined) {
      const handle = await open(path, "wx", 0o600).catch(unlessTaken);
      if (handle === undefined) continue;
      await handle.close();
      return path;
    }
    if (there.isFile() && (await mayReplace(path, there.size === 0))) return path;
  }
  throw new Error("no free number was found");
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

function unlessTaken(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
}
