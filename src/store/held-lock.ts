import { closeSync, constants, openSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { RecPushError } from "../model/failure.ts";
import type { BookLock } from "./book.ts";
import type { LineName } from "./log.ts";
import { AtomicFile } from "./private-file.ts";
import { cannotUse } from "./state-directory.ts";
import type { TableId } from "./table-place.ts";

/**
 * How often the holder writes to its file: for processes that cannot see its own, on another machine or in another
 * container, and to say until when it sent updates if it is killed.
 */
export const BEAT_MS = 5000;
/** How long a look at the file remains valid. */
const LOOK_MS = 1000;

/** By run, if it is open: the least number of lines that its journal holds. A journal that lost some is noticed so. */
type JournalLines = ReadonlyMap<string, number>;

/** What a lock hands on to the next holder. */
export interface HandedOn {
  readonly journals: JournalLines;
  /** The last line of the table's book; `undefined` if that is not known. */
  readonly book: LineName | undefined;
}

/** The part of a lock file's text that is handed on. */
export function spellHandedOn({ journals, book }: HandedOn): object {
  const lines = journals.size === 0 ? {} : { journals: Object.fromEntries(journals) };
  return { ...lines, ...(book === undefined ? {} : { book }) };
}

/** The second line of a lock file: what changes while it is held. */
export interface LockNote {
  /** The run that is pushed now, and how many lines of its journal are on disk. */
  readonly run: string;
  readonly lines: number;
  readonly book?: LineName | undefined;
}

/** Every note has the same length, more than it needs, so that it replaces the one before exactly. */
const NOTE_CHARS = 200;

function spellNote(note: LockNote): string {
  const text = JSON.stringify(note).padEnd(NOTE_CHARS);
  return `${crc32(text).toString(16).padStart(8, "0")} ${text}\n`;
}

/** Reads such a line; `undefined` if nothing was noted yet, or if it was cut. */
export function readNote(line: string): LockNote | undefined {
  const text = line.slice(9);
  const isWhole = text.length === NOTE_CHARS && crc32(text) === Number.parseInt(line.slice(0, 8), 16);
  return isWhole ? (JSON.parse(text) as LockNote) : undefined;
}

/** Before there is anything to note. */
export const EMPTY_NOTE = `${" ".repeat(NOTE_CHARS + 9)}\n`;

/** The lock of a table, held by this process. Its methods throw a machine error if that cannot be determined or noted. */
export interface TableLock extends BookLock {
  /** Notes how many lines of a run's journal are on disk; 0 once the run is closed. */
  readonly noteLines: (run: string, lines: number) => Promise<void>;
  /** Updates that may still land, of this holder and those before it. */
  readonly givenUp: GivenUp;
  /**
   * To be awaited before an update of this run is sent: whoever takes the lock after a kill, or a power failure, learns that some
   * may still land.
   */
  readonly noteSending: (run: string) => Promise<void>;
  /** Throws a locked error if another process has taken the lock. */
  readonly check: () => Promise<void>;
  /**
   * The same, but looks only if the last look is more than a second ago: this process may have been paused since. Not
   * asynchronous, so that nothing can come between it and the first byte of a request.
   */
  readonly checkAfterGap: () => void;
  readonly release: () => Promise<void>;
}

/**
 * A lock held by this process, until another process takes it because this one was silent for too long. Its methods may be passed
 * on without it.
 */
export class HeldLock implements TableLock {
  readonly table: TableId;
  /**
   * Grows with each holder, even over crashes and power failures: of two holders the later one has the higher number.
   */
  readonly fence: number;
  readonly wasReleased: boolean;
  readonly givenUp: GivenUp;
  readonly #path: string;
  readonly #text: string;
  readonly #beat: NodeJS.Timeout;
  readonly #sending = new Map<string, Promise<void>>();
  readonly #journals: Map<string, number>;
  #book: LineName | undefined;
  #noted: Pick<LockNote, "run" | "lines"> = { run: "", lines: 0 };
  /** For notes; opened once, because a successor removes the file from its place, and then they do no harm. */
  #noting: Promise<FileHandle | undefined> | undefined;
  #isLost = false;
  /** When the file was seen last, by both clocks: one stops while the machine sleeps, the other may be set back. */
  #seenAt = { steady: performance.now(), wall: Date.now() };

  /** `text` is the first line of the file. */
  constructor(
    path: string,
    table: TableId,
    fence: number,
    text: string,
    found: HandedOn & Pick<TableLock, "givenUp" | "wasReleased">,
  ) {
    this.table = table;
    this.fence = fence;
    this.wasReleased = found.wasReleased;
    this.givenUp = found.givenUp;
    this.#path = path;
    this.#text = text;
    this.#journals = new Map(found.journals);
    this.#book = found.book;
    this.#beat = setInterval(() => void this.#say().catch(() => undefined), BEAT_MS);
    this.#beat.unref();
  }

  /** The last line of the table's book, as the holder before handed it on or as this one noted it. */
  get found(): LineName | undefined {
    return this.#book;
  }

  /**
   * Looks whether this process still holds the lock: a successor removes the file before it does anything. The file
   * is opened, because that makes a network file system ask its server.
   */
  readonly check = async (): Promise<void> => {
    this.#look();
  };

  readonly checkAfterGap = (): void => {
    const { steady, wall } = this.#seenAt;
    const wallMs = Date.now() - wall;
    if (performance.now() - steady > LOOK_MS || wallMs < 0 || wallMs > LOOK_MS) this.#look();
    this.#refuseLost();
  };

  #look(): void {
    const seenAt = { steady: performance.now(), wall: Date.now() };
    try {
      if (!this.#isLost) closeSync(openSync(this.#path, "r"));
    } catch (error) {
      if (!this.#losesBy(error)) throw cannotUse(dirname(this.#path), error);
    }
    this.#seenAt = seenAt;
    this.#refuseLost();
  }

  readonly noteSending = (run: string): Promise<void> => {
    const line = `${JSON.stringify({ sending: run })}\n`;
    // Not created anew: a successor has removed it.
    const noted =
      this.#sending.get(run) ??
      this.#orFail(() => this.#write(constants.O_WRONLY | constants.O_APPEND, line, null));
    this.#sending.set(run, noted);
    return noted;
  };

  readonly noteLines = async (run: string, lines: number): Promise<void> => {
    if (lines === 0) this.#journals.delete(run);
    if (lines <= (this.#journals.get(run) ?? 0)) return;
    this.#journals.set(run, lines);
    this.#noted = { run, lines };
    await this.#orFail(() => this.#note());
  };

  readonly handOn = async (line: LineName, isSynced = false): Promise<void> => {
    this.#book = line;
    await this.#orFail(async () => {
      await this.#note();
      if (isSynced) await (await this.#noting)?.datasync();
    });
  };

  readonly release = async (): Promise<void> => {
    clearInterval(this.#beat);
    await (await this.#noting?.catch(() => undefined))?.close();
    const isHeld = await this.check().then(
      () => true,
      () => false,
    );
    // If the disk is full, the lock ends when the process does.
    if (isHeld) await this.#giveBack().catch(() => undefined);
  };

  /** After a power failure the lock may be as it was before: then it ends as that of a process that was killed. */
  async #giveBack(): Promise<void> {
    const last = {
      ...spellHandedOn({ journals: this.#journals, book: this.#book }),
      ...this.givenUp.spell(),
    };
    const file = await AtomicFile.create(this.#path);
    try {
      await file.write(JSON.stringify(last));
      await file.commit();
    } finally {
      await file.discard();
    }
  }

  /** A note survives the end of the process, and where possible a power failure. */
  async #note(): Promise<void> {
    const file = await (this.#noting ??= this.#open("r+"));
    // It only goes to the system's memory, so an asynchronous write would only cost time.
    if (file !== undefined)
      writeSync(file.fd, spellNote({ ...this.#noted, book: this.#book }), Buffer.byteLength(this.#text));
  }

  /**
   * Writes what is there already, so that the file system sets its own time, with which this machine's clock need not
   * agree.
   */
  #say(): Promise<void> {
    return this.#write("r+", this.#text, 0);
  }

  async #write(flags: "r+" | number, text: string, at: number | null): Promise<void> {
    const handle = await this.#open(flags);
    if (handle === undefined) return;
    try {
      await handle.write(text, at);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  async #open(flags: "r+" | number): Promise<FileHandle | undefined> {
    try {
      return this.#isLost ? undefined : await open(this.#path, flags);
    } catch (error) {
      if (!this.#losesBy(error)) throw error;
      return undefined;
    }
  }

  /** Whether this error of opening the file says that a successor has removed it; notes so. */
  #losesBy(error: unknown): boolean {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ESTALE") return false;
    this.#isLost = true;
    clearInterval(this.#beat);
    return true;
  }

  async #orFail(work: () => Promise<void>): Promise<void> {
    await work().catch((cause: unknown) => {
      throw cannotUse(dirname(this.#path), cause);
    });
  }

  #refuseLost(): void {
    if (!this.#isLost) return;
    throw new RecPushError(
      "locked",
      "lock-lost",
      `this process has lost the lock of the table ${this.table.url}: it was silent for minutes, and another process has pushed there since; nothing more is sent`,
      {
        hint: "rec-push runs says how to go on; when the other process has ended, run the same command again",
      },
    );
  }
}

/** Requests given up more than a day ago are no longer waited for. */
const FORGOTTEN_AFTER_MS = 86_400_000;

/** The entry of a lock file about updates that were given up. */
export interface GivenUpWords {
  /** When the request of the last of them left, by the clock of the file system that holds the locks. */
  readonly at: number;
  /** The run that all of them belong to; absent if they belong to several, or if that is not known. */
  readonly run?: string;
}

/** All of them as one entry; `undefined` if there are none. */
export function joinGivenUp(all: readonly GivenUpWords[]): GivenUpWords | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const at = Math.max(...all.map((one) => one.at));
  const { run } = first;
  return run !== undefined && all.every((one) => one.run === run) ? { at, run } : { at };
}

/**
 * Updates that were given up without an answer, by this holder of a table's lock or those before it: the service may still
 * apply them. While a command runs, time is measured by a clock that nobody sets; while a machine sleeps it stands still,
 * and they are waited for longer.
 */
export class GivenUp {
  readonly #now: () => number;
  /** What this process's clock says when that of the file system says 0. */
  readonly #offsetMs: number;
  /** What this holder found: it hands that on as it is, unless it gives up updates of its own. */
  readonly found: GivenUpWords | undefined;
  #own: GivenUpWords | undefined;

  /** `filesNowMs`: the present time by the clock of the file system. */
  constructor(found?: GivenUpWords, filesNowMs = 0, now = () => performance.now()) {
    this.#now = now;
    this.#offsetMs = now() - filesNowMs;
    if (found !== undefined && found.at > filesNowMs - FORGOTTEN_AFTER_MS)
      // That clock may have been set back.
      this.found = { ...found, at: Math.min(found.at, filesNowMs) };
  }

  /** An update of this run was given up, whose request left so long ago. */
  note(run: string, agoMs: number): void {
    const noted = { at: this.#filesNow() - agoMs, run };
    this.#own = joinGivenUp(this.#own === undefined ? [noted] : [this.#own, noted]);
  }

  /** Milliseconds since the last one of an earlier holder left; `undefined` if there is none, or all are of the run `besides`. */
  earlierAgoMs(besides?: string): number | undefined {
    if (this.found === undefined || (besides !== undefined && this.found.run === besides)) return undefined;
    return this.#filesNow() - this.found.at;
  }

  /** For the next holder. */
  spell(): { readonly givenUp?: GivenUpWords } {
    const givenUp = joinGivenUp([this.found, this.#own].filter((one) => one !== undefined));
    if (givenUp === undefined || givenUp.at <= this.#filesNow() - FORGOTTEN_AFTER_MS) return {};
    return { givenUp: { ...givenUp, at: Math.round(givenUp.at) } };
  }

  #filesNow(): number {
    return this.#now() - this.#offsetMs;
  }
}
