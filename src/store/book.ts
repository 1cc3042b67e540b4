import type { Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { RecPushError } from "../model/failure.ts";
import type { BookEntry, BookRun, PlanHold, Prints, WrittenFile } from "./book-entries.ts";
import {
  dropLines,
  EMPTY_LOG,
  type LineName,
  type LogEnd,
  readLog,
  replaceLog,
  spellLines,
  writeLines,
} from "./log.ts";
import { cannotUse, damagedState, orCannotUse, type TableId } from "./state-directory.ts";
import type { TableLock } from "./held-lock.ts";

/**
 * The book of a table: the one truth about what was pushed to it. It is a log (log.ts) that only grows; the answers to a
 * command are folded from its entries in memory. Only the holder of the table's lock adds to it, and each entry is on disk
 * before anything is done that relies on it. The lock hands on the last line, so that the loss of a book, or an older copy
 * of it, is noticed.
 */

/** The file in a table's directory. */
const NAME = "book";

/** So many profiles are kept: those of a year of nightly files. */
const MOST_FIGURES = 400;

/** A book, read up to some line; `refresh` reads the lines since. */
export class Book {
  readonly directory: string;
  /** In the order of their beginnings. */
  readonly #runs = new Map<string, BookRun>();
  readonly #prints = new Map<string, Prints>();
  /** By run, in the order of writing. */
  readonly #written = new Map<string, readonly WrittenFile[]>();
  /** By path: the last file that was written there. */
  readonly #latest = new Map<string, WrittenFile>();
  #figures: object[] = [];
  #hold: PlanHold | undefined;
  #table: TableId | undefined;
  #follows: LineName | undefined;
  #end: LogEnd = EMPTY_LOG;
  /** By line, counted from 0 for the empty book: the checksum up to it. */
  #sums: number[] = [0];
  #file: string | undefined;
  /** The fence under which this process has made the file its own. */
  #ownedUnder: number | undefined;
  #reading: Promise<void> | undefined;

  /** `directory` is the table's. */
  constructor(directory: string) {
    this.directory = directory;
  }

  get path(): string {
    return join(this.directory, NAME);
  }

  /** The last line. */
  get end(): LineName {
    return this.#end;
  }

  get table(): TableId | undefined {
    return this.#table;
  }

  get runs(): readonly BookRun[] {
    return [...this.#runs.values()];
  }

  /** The runs that were not closed. */
  get open(): readonly BookRun[] {
    return this.runs.filter(({ closed }) => closed === undefined);
  }

  /** By name, in the order in which they were named first: the prints of a run have its name. */
  get prints(): ReadonlyMap<string, Prints> {
    return this.#prints;
  }

  /** True if the service has accepted a create of a run. */
  get hasCreated(): boolean {
    return [...this.#prints.values()].some(({ kind, certain }) => kind === "created" && certain > 0);
  }

  /** The plan that holds the table. */
  get hold(): PlanHold | undefined {
    return this.#hold;
  }

  /** The profiles of the last files, the oldest first. */
  get figures(): readonly object[] {
    return this.#figures;
  }

  /** Files that a run wrote for a person. */
  writtenBy(run: string): readonly WrittenFile[] {
    return this.#written.get(run) ?? [];
  }

  /** By path: the file that was written there last. */
  get files(): ReadonlyMap<string, WrittenFile> {
    return this.#latest;
  }

  run(name: string): BookRun | undefined {
    return this.#runs.get(name);
  }

  /** True if no row of a closed run has to be mended any more, wherever the files are. */
  isMended(name: string): boolean {
    const run = this.#runs.get(name);
    if (run?.isMended === true || (run?.closed !== undefined && (run.closed.toMend ?? 0) === 0)) return true;
    const taker = this.takerOf(name);
    return taker !== undefined && this.isMended(taker);
  }

  /**
   * The last run that pushed all rows that an older run left to be mended, as mended rejects or with its whole file: what
   * it left of them itself is in its own rejects.
   */
  takerOf(name: string): string | undefined {
    const run = this.#runs.get(name);
    const { runs } = this;
    const at = runs.findIndex((one) => one.run === name);
    return runs.findLast(({ takes, closed, ...later }, place) => {
      if (closed === undefined || closed.isAbandoned === true || later.isForgotten === true) return false;
      // Records that the user reported as missing.
      if ((closed.kept?.shown.counts.notSent ?? 0) > 0) return false;
      if (takes?.includes(name) === true) return true;
      const isSame = later.content === run?.content && later.runKey === run.runKey;
      // A run that leaves creates out has not pushed those.
      const isAllSent = later.createdBy === undefined || run?.createdBy !== undefined;
      return isSame && isAllSent && later.dbVersion === run.dbVersion && place > at;
    })?.run;
  }

  /** True if the book holds that line, or comes after it; every book comes after the empty one. */
  holds(line: LineName | undefined): boolean {
    if (line === undefined) return this.#end.number === 0;
    const { number, sum } = this.#follows ?? {};
    return this.#sums[line.number] === line.sum || (number === line.number && sum === line.sum);
  }

  /** Reads the lines since. Throws a machine error if the book is damaged. */
  async refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    await this.#reading;
  }

  async #read(): Promise<void> {
    let handle: FileHandle;
    try {
      handle = await open(this.path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cannotUse(this.path, cause);
      this.#forget(undefined);
      return;
    }
    try {
      const found = await handle.stat();
      const { size } = found;
      if (nameFile(found) !== this.#file || size < this.#end.bytes) this.#forget(nameFile(found));
      if (size === this.#end.bytes) return;
      this.#end = await readLog<BookEntry>(
        handle,
        {
          take: (entry, line) => this.#take(entry, line),
          damaged: (line, how) => damagedBook(this.path, line, how),
        },
        this.#end,
      );
    } catch (cause) {
      // The entries folded so far do not fit the end: begin again.
      this.#forget(undefined);
      throw cannotUse(this.path, cause);
    } finally {
      await handle.close();
    }
  }

  /** Adds entries with the table's lock held; they are on disk when this resolves. Throws a locked error if the lock is lost. */
  async append(lock: TableLock, ...entries: readonly BookEntry[]): Promise<void> {
    await this.refresh();
    const isWhole = this.holds(lock.found);
    await orCannotUse(this.path, async () => {
      const handle = await this.#openToWrite(lock);
      try {
        // After the file is open: if the lock is lost from here on, a successor goes on in another file.
        await lock.check();
        const { size } = await handle.stat();
        // A line that a crash cut off.
        if (size > this.#end.bytes) await handle.truncate(this.#end.bytes);
        const first: readonly BookEntry[] = this.#end.number === 0 ? [{ entry: "table", ...lock.table }] : [];
        const all = [...first, ...entries];
        const ends = writeLines(handle.fd, this.#end, all);
        await handle.datasync().catch((cause: unknown) => {
          dropLines(handle.fd, this.#end);
          throw cause;
        });
        for (const [at, entry] of all.entries()) this.#take(entry, ends[at]!);
        this.#end = ends.at(-1)!;
      } finally {
        await handle.close();
      }
    });
    if (isWhole) await lock.handOn(nameEnd(this.#end));
  }

  /**
   * Rewrites the book: entries that later ones replaced go, and of these closed runs only their endings stay, because their rows
   * were mended, or given up. Throws like {@link append}. The line that the lock names is on disk before. Until the lock names
   * a line of the new book, the new book names the line that it follows.
   */
  async rewrite(lock: TableLock, pruned: ReadonlySet<string>): Promise<void> {
    await this.refresh();
    await lock.handOn(nameEnd(this.#end), true);
    const { lines } = spellLines(this.#fold(pruned));
    await orCannotUse(this.path, () => replaceLog(this.path, EMPTY_LOG, lock.check, lines));
    this.#ownedUnder = lock.fence;
    await this.refresh();
    await lock.handOn(nameEnd(this.#end));
  }

  /** Entries with the same meaning as the whole book, but for what is pruned. */
  #fold(pruned: ReadonlySet<string>): readonly BookEntry[] {
    const files = Object.fromEntries(this.#prints);
    const hold = this.#hold;
    const written = this.#writtenNow();
    return [
      { entry: "table", ...this.#table!, follows: nameEnd(this.#end) },
      ...this.runs.map((run) => ({
        entry: "begin" as const,
        ...(pruned.has(run.run) ? pruneRun(run) : run),
      })),
      { entry: "prints", files },
      ...(written.length === 0 ? [] : [{ entry: "wrote" as const, files: written }]),
      ...this.#figures.map((profile) => ({ entry: "figures" as const, profile })),
      ...(hold === undefined ? [] : [{ entry: "held" as const, hold }]),
    ];
  }

  /** The files of open runs, and of other runs those that no later file replaced. */
  #writtenNow(): readonly WrittenFile[] {
    const isOpen = (run: string): boolean => this.#runs.get(run)?.closed === undefined;
    const isNow = (note: WrittenFile): boolean =>
      note.runs.some(isOpen) || this.#latest.get(note.path) === note;
    return [...new Set([...this.#written.values()].flat())].filter(isNow);
  }

  /**
   * Opens the file. A holder that was killed or given up may wake and write: its successor goes on in
   * a copy, which is out of its reach.
   */
  async #openToWrite({ fence, wasReleased, check }: TableLock): Promise<FileHandle> {
    if (this.#file === undefined || (!wasReleased && this.#ownedUnder !== fence))
      await replaceLog(this.path, this.#end, check);
    this.#ownedUnder = fence;
    const handle = await open(this.path, "r+");
    this.#file = nameFile(await handle.stat());
    return handle;
  }

  #forget(file: string | undefined): void {
    this.#file = file;
    this.#end = EMPTY_LOG;
    this.#sums = [0];
    this.#runs.clear();
    this.#prints.clear();
    this.#written.clear();
    this.#latest.clear();
    this.#figures = [];
    this.#hold = undefined;
    this.#table = undefined;
    this.#follows = undefined;
  }

  #take(entry: BookEntry, { number, sum }: LineName): void {
    this.#sums[number] = sum;
    switch (entry.entry) {
      case "table": {
        const { url, queries, follows } = entry;
        this.#table = { url, queries };
        this.#follows = follows;
        break;
      }
      case "begin": {
        const { entry: _, ...run } = entry;
        this.#runs.set(run.run, run);
        break;
      }
      case "close": {
        const { entry: _, run: name, prints, figures, ...closed } = entry;
        this.#change(name, { hasCreates: closed.hasCreates, closed, facts: undefined });
        if (prints !== undefined) this.#takePrints({ [name]: prints });
        if (figures !== undefined) this.#takeFigures(figures);
        break;
      }
      case "prints":
        this.#takePrints(entry.files);
        for (const name of entry.removedFrom ?? [])
          this.#change(name, { hasCreates: false, isForgotten: true });
        break;
      case "decide":
        this.#decide(entry.run, entry.answer === "applied");
        break;
      case "wrote":
        for (const file of entry.files) {
          for (const run of file.runs) this.#written.set(run, [...this.writtenBy(run), file]);
          this.#latest.set(file.path, file);
        }
        break;
      case "mended":
        this.#change(entry.run, { isMended: true });
        break;
      case "figures":
        this.#takeFigures(entry.profile);
        break;
      case "held":
        this.#hold = entry.hold;
        break;
      case "released":
        if (this.#hold?.plan === entry.plan) this.#hold = undefined;
        break;
    }
  }

  /** `change` holds for a run that has begun. */
  #change(name: string, change: Partial<BookRun>): void {
    const run = this.#runs.get(name);
    if (run !== undefined) this.#runs.set(name, { ...run, ...change });
  }

  /** The creates in doubt of a closed run count as there, or no more; nothing is left to say about the run. */
  #decide(name: string, isThere: boolean): void {
    const prints = this.#prints.get(name);
    if (prints !== undefined) {
      const { certain, doubtful } = prints;
      this.#prints.set(name, { ...prints, certain: isThere ? certain + doubtful : certain, doubtful: 0 });
    }
    const { closed } = this.#runs.get(name) ?? {};
    if (closed === undefined) return;
    const { kept: _, ...ending } = closed;
    this.#change(name, { closed: ending });
  }

  #takeFigures(profile: object): void {
    this.#figures = [...this.#figures.slice(1 - MOST_FIGURES), profile];
  }

  #takePrints(files: Readonly<Record<string, Prints | null>>): void {
    for (const [name, prints] of Object.entries(files)) {
      if (prints === null) this.#prints.delete(name);
      else this.#prints.set(name, prints);
    }
  }
}

/** Of a closed run only its ending stays. */
function pruneRun({ closed, ...run }: BookRun): BookRun {
  if (closed === undefined) return run;
  const { kept: _, keys: __, toMend: ___, ...ending } = closed;
  return { ...run, closed: ending };
}

function nameEnd({ number, sum }: LogEnd): LineName {
  return { number, sum };
}

/** The inode with the time of birth: a file system reuses the inodes of deleted files. */
function nameFile({ ino, birthtimeMs }: Stats): string {
  return `${ino} ${birthtimeMs}`;
}

function damagedBook(path: string, line: number, how: string): RecPushError {
  const place = { file: path, line };
  return damagedState(
    `the book of the table is damaged: ${path}:${line}: this line ${how}`,
    "or keep what can be read of it: rec-push runs repair",
    { place },
  );
}
