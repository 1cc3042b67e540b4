import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { type FileHandle, open, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { cannotUse, openOwnFile, type StateDirectory, syncDirectory } from "./state-directory.ts";

/** Digits of a number of lines: every note has the same length, so that it replaces the one before exactly. */
const DIGITS = 12;
/** A sum, a space and the number. */
const NOTE_BYTES = 8 + 1 + DIGITS;

/**
 * The mark of an open run, while its journal is written: it holds the least number of journal lines that are on disk,
 * so that a journal that lost some of them is not mistaken for one that a crash ended.
 */
export class RunMark {
  readonly #path: string;
  readonly #handle: FileHandle;
  #lines = 0;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Opens the mark, or makes it again if it is lost. */
  static async open({ open: directory }: StateDirectory, marked: MarkedRun): Promise<RunMark> {
    const path = join(directory, nameMark(marked));
    try {
      // Not opened with "a": each note replaces the one before.
      const handle = await open(path, "r+").catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
        return open(path, "wx", 0o600);
      });
      return new RunMark(path, handle);
    } catch (cause) {
      throw cannotUse(path, cause);
    }
  }

  /**
   * To be called once these lines are on disk. The note itself survives the end of the process, and where possible a
   * power failure.
   */
  note(lines: number): void {
    if (lines <= this.#lines) return;
    this.#lines = lines;
    const text = String(lines).padStart(DIGITS, "0");
    try {
      // It only goes to the system's memory, so an asynchronous write would only cost time.
      writeSync(this.#handle.fd, `${sumOf(text)} ${text}`, 0);
    } catch (cause) {
      throw cannotUse(this.#path, cause);
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** The least number of lines that the journal of a run holds, 0 if it is not known; to be read before the journal. */
export async function readMarkedLines({ open: directory }: StateDirectory, run: string): Promise<number> {
  const names: readonly string[] = await readdir(directory).catch(() => []);
  const name = names.find((mark) => mark.endsWith(`.${run}`));
  if (name === undefined) return 0;
  const note = await readNote(join(directory, name)).catch(() => "");
  const text = note.slice(NOTE_BYTES - DIGITS);
  return note.length === NOTE_BYTES && note.startsWith(`${sumOf(text)} `) ? Number(text) : 0;
}

async function readNote(path: string): Promise<string> {
  const handle = await openOwnFile(path);
  try {
    return await handle.readFile("latin1");
  } finally {
    await handle.close();
  }
}

function sumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

/** A run that may be open, and the address of its table. */
export interface MarkedRun {
  readonly run: string;
  readonly url: string;
}

/**
 * Marks a run as open before it begins, so that a new command finds the open runs of its table without reading the
 * others; the mark is on disk when this resolves.
 */
export async function markOpen({ open }: StateDirectory, { run, url }: MarkedRun): Promise<void> {
  try {
    await writeFile(join(open, nameMark({ url, run })), "", { mode: 0o600 });
    await syncDirectory(open);
  } catch (cause) {
    throw cannotUse(open, cause);
  }
}

/** Removes the mark of a run. A mark that a crash leaves behind only costs one look at the run. */
export async function unmarkOpen({ open }: StateDirectory, run: string): Promise<void> {
  try {
    const names = await readdir(open).catch(ignoreAbsent);
    for (const name of names.filter((mark) => mark.endsWith(`.${run}`)))
      await rm(join(open, name), { force: true });
  } catch (cause) {
    throw cannotUse(open, cause);
  }
}

/** Names of the marked runs, of one table or of all. */
export async function readMarks({ open }: StateDirectory, url?: string): Promise<readonly string[]> {
  const names = await readdir(open)
    .catch(ignoreAbsent)
    .catch((cause: unknown) => {
      throw cannotUse(open, cause);
    });
  const table = url === undefined ? undefined : nameTable(url);
  return names
    .map((name) => name.split("."))
    .filter(([of]) => table === undefined || of === table)
    .flatMap(([, run]) => (run === undefined ? [] : [run]))
    .sort();
}

function ignoreAbsent(error: NodeJS.ErrnoException): readonly string[] {
  if (error.code !== "ENOENT") throw error;
  return [];
}

/** The name of a run's mark. */
function nameMark({ url, run }: MarkedRun): string {
  return `${nameTable(url)}.${run}`;
}

/** The name of a table in the state directory: a hash of its address. */
export function nameTable(url: string): string {
  return createHash("sha256").update(url).digest("hex").slice(0, 32);
}
