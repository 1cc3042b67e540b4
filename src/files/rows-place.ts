import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { RowsKind } from "../model/marker-columns.ts";
import { showText } from "../model/refer-to-sheets.ts";
import type { RunIdentity } from "../store/run-facts.ts";
import { replaceFile } from "../store/private-file.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import {
  absolutePlace,
  type AskedPlace,
  notePlace,
  pathFor,
  placeInRun,
  readKeptPlace,
} from "./kept-place.ts";
import { claimPath, EMPTY_HASH } from "./kept-results.ts";
import type { CompleteFile } from "./write-rejects.ts";

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
 * The place of the files of rows of one input. A file there is replaced only if its own run wrote it and nobody changed
 * it since, or if it holds exactly the same rows of the same table; any other is left as it is, and the name gets a number.
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

  /**
   * Takes over the place of a run that is resumed, unless another one is asked for; returns the number of rows by
   * path.
   */
  async takeUp(directory: string): Promise<ReadonlyMap<string, number>> {
    const { asked, paths, sha256, rows } = await readKeptPlace(directory);
    this.#directory = directory;
    if (!isOther(this.#asked, asked)) {
      this.#asked = asked ?? this.#asked;
      this.#paths = new Map(paths);
      this.#isTakenUp = asked !== undefined || paths.size > 0;
    }
    for (const hash of sha256) this.#own.add(hash);
    return rows;
  }

  /** Takes over the place of a run that is closed; returns the number of rows by path. */
  async recall(directory: string): Promise<ReadonlyMap<string, number>> {
    const { asked, paths, rows } = await readKeptPlace(directory);
    this.#asked = asked ?? placeInRun(directory);
    this.#paths = new Map(paths);
    return rows;
  }

  get #run(): string | undefined {
    return this.#directory === undefined ? undefined : basename(this.#directory);
  }

  /** True once the directory of the run is known. */
  get isBegun(): boolean {
    return this.#directory !== undefined;
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
    if (!this.#isTakenUp && isSaid(this.#asked))
      await notePlace(directory, { asked: absolutePlace(this.#asked) });
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
  async claim({ kind, sha256, rows }: CompleteFile): Promise<string> {
    const path = await this.#freePath(kind, sha256);
    this.#own.add(sha256);
    this.#paths.set(kind, path);
    this.#input.taken.add(resolve(path));
    if (this.#input.known !== undefined)
      await noteFile(this.#input.known, path, { sha256, kind, run: this.#run });
    if (this.#directory !== undefined)
      await notePlace(this.#directory, { sha256, path: resolve(path), rows, kind });
    return path;
  }

  async #freePath(kind: RowsKind, sha256: string): Promise<string> {
    const known = this.#paths.get(kind);
    const path = await claimPath(this.#candidates(kind), (there, hash) =>
      this.#mayReplace(kind, there, hash, sha256),
    );
    const first = pathFor(this.#asked!, kind, this.#input.isCsv);
    if (path !== known && path !== first)
      this.#input.tell(
        `${showText(first, 400)} already exists and is left as it is: the rows go to ${showText(path, 400)}`,
      );
    return path;
  }

  async #mayReplace(kind: RowsKind, path: string, hash: string, by: string): Promise<boolean> {
    const written = this.#paths.get(kind);
    if (path !== written && this.#input.taken.has(resolve(path))) return false;
    const isEmpty = hash === EMPTY_HASH && (path === written || this.#asked?.kind === "file");
    if (this.#own.has(hash) || isEmpty) return true;
    const { known } = this.#input;
    return hash === by && (known === undefined || isKnownFile(known, path, hash));
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

/** The files of rows that pushes to a target wrote last, by path, as noted in the state directory. */
export interface KnownFiles {
  readonly stateRoot: string;
  /** Identifies the target. */
  readonly target: string;
}

/** A file of rows, as it is noted. */
interface KnownFile {
  readonly sha256: string;
  readonly target: string;
  readonly path: string;
  readonly kind: RowsKind;
  /** The run whose rows they are. */
  readonly run?: string | undefined;
}

/** A rejects file, and the run whose rows it holds. */
export interface RejectsOfRun {
  readonly path: string;
  readonly run: string;
  /** False if it was moved or deleted since. */
  readonly isThere: boolean;
}

/** How long rejects are expected to be mended and pushed. */
const EXPECTED_MS = 30 * 86_400_000;
const FOLDER = "rows-files";

/** Where the files of rows of a target are noted. */
export function placeOfKnown(
  { root }: Pick<StateDirectory, "root">,
  { url, runKey, queries }: Omit<RunIdentity, "content">,
): KnownFiles {
  return { stateRoot: root, target: JSON.stringify([url, runKey, queries]) };
}

/** True if a file is exactly as a push to the target wrote it. */
async function isKnownFile(
  { stateRoot, target }: KnownFiles,
  path: string,
  sha256: string,
): Promise<boolean> {
  const known = await readKnown(placeOf(stateRoot, path));
  return known?.sha256 === sha256 && known.target === target;
}

/** The rejects files that pushes to the target wrote in the last 30 days. */
export async function findRejectsOf({ stateRoot, target }: KnownFiles): Promise<readonly RejectsOfRun[]> {
  const found: RejectsOfRun[] = [];
  const oldest = Date.now() - EXPECTED_MS;
  for (const name of await readdir(join(stateRoot, FOLDER)).catch((): string[] => [])) {
    const place = join(stateRoot, FOLDER, name);
    if (((await sizeAndTime(place))?.mtimeMs ?? 0) < oldest) continue;
    const { target: of, kind, path, run } = (await readKnown(place)) ?? {};
    if (of !== target || kind !== "rejects" || path === undefined || run === undefined) continue;
    found.push({ path, run, isThere: ((await sizeAndTime(path))?.size ?? 0) > 0 });
  }
  return found;
}

/** The run whose rejects a push to the target wrote to a path; `undefined` if none did. */
export async function findRejectsAt(
  { stateRoot, target }: KnownFiles,
  path: string,
): Promise<string | undefined> {
  const real = await realpath(path).catch(() => path);
  for (const place of new Set([path, real])) {
    const known = await readKnown(placeOf(stateRoot, place));
    if (known?.target === target && known.kind === "rejects") return known.run;
  }
  return undefined;
}

/** The run whose rows a file holds, as it was noted last; `undefined` if that is not known. */
export async function runOfFile(stateRoot: string, path: string): Promise<string | undefined> {
  return (await readKnown(placeOf(stateRoot, path)))?.run;
}

/** Notes a file before it is moved to its place. Throws what node:fs throws. */
export async function noteFile(
  { stateRoot, target }: KnownFiles,
  path: string,
  file: Pick<KnownFile, "sha256" | "kind" | "run">,
): Promise<void> {
  await mkdir(join(stateRoot, FOLDER), { recursive: true, mode: 0o700 });
  const known: KnownFile = { ...file, target, path: resolve(path) };
  await replaceFile(placeOf(stateRoot, path), `${JSON.stringify(known)}\n`);
}

function placeOf(stateRoot: string, path: string): string {
  return join(stateRoot, FOLDER, createHash("sha256").update(resolve(path)).digest("hex"));
}

/** A note; `undefined` if there is none, or it is damaged. */
async function readKnown(place: string): Promise<KnownFile | undefined> {
  try {
    return JSON.parse(await readFile(place, "utf8")) as KnownFile;
  } catch {
    return undefined;
  }
}

function sizeAndTime(path: string) {
  return stat(path).catch(() => undefined);
}
