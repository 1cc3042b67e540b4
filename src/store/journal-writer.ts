import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { RecPushError } from "../model/failure.ts";
import { EMPTY_LOG, type LineName, type LogEnd, spellLine } from "./log.ts";
import { replaceFile } from "./private-file.ts";
import type { JournalEntry } from "./read-journal.ts";
import { syncDirectory } from "./state-directory.ts";
import type { TableLock } from "./table-lock.ts";

/** The lock under which a journal is written. */
export type WriterLock = Omit<TableLock, "release">;

/** The codes of a disk, or of a user's share of it, that is full. */
const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** An entry on its way into the journal. */
interface Waiting {
  readonly entry: JournalEntry;
  /** Its line, once it is written. */
  line: LineName;
  failure: RecPushError | undefined;
  isDone: boolean;
}

/**
 * Appends to a run's journal. Once a write has failed, as on a full disk, the journal takes only entries that settle
 * what was sent, in space that was set aside for them; if these cannot be written either, it takes nothing more.
 */
export class JournalWriter {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #lock: WriterLock;
  readonly #reserve: DiskReserve;
  #end: LogEnd;
  /** Entries that have not been written yet; one write at a time writes all of them. */
  #pending: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  #full: RecPushError | undefined;
  #failure: RecPushError | undefined;

  private constructor(
    path: string,
    handle: FileHandle,
    { end, lock, reserve }: { end: LogEnd; lock: WriterLock; reserve: DiskReserve },
  ) {
    this.#path = path;
    this.#handle = handle;
    this.#lock = lock;
    this.#reserve = reserve;
    this.#end = end;
  }

  /** Creates a journal (0600); its name, and those of the directories above it, are on disk when this resolves. */
  static async create(
    path: string,
    directories: readonly string[],
    lock: WriterLock,
  ): Promise<JournalWriter> {
    try {
      const reserve = await DiskReserve.setAside(reserveOf(path));
      const handle = await open(path, "wx", 0o600);
      for (const directory of directories) await syncDirectory(directory);
      return new JournalWriter(path, handle, { end: EMPTY_LOG, lock, reserve });
    } catch (cause) {
      throw cannotWrite(path, cause);
    }
  }

  /**
   * Continues after the last whole line, without the partial line that a crash left, in a copy that replaces the
   * journal: a process that was paused and has lost the lock cannot write into that copy when it wakes.
   */
  static async reopen(path: string, end: LogEnd, lock: WriterLock): Promise<JournalWriter> {
    try {
      await replaceFile(path, async (copy) => {
        for await (const part of createReadStream(path, { end: end.bytes - 1 }))
          await copy.write(part as Buffer);
        await lock.check();
      });
      // Nothing may be written from here on to a file that a power failure could undo.
      await syncDirectory(dirname(path));
      const reserve = await DiskReserve.setAside(reserveOf(path));
      return new JournalWriter(path, await open(path, "r+"), { end, lock, reserve });
    } catch (cause) {
      throw cannotWrite(path, cause);
    }
  }

  /** Why nothing new may be begun, if so; what was sent can perhaps still be settled. */
  get full(): RecPushError | undefined {
    return this.#failure ?? this.#full;
  }

  /** Why nothing can be written any more, if so. */
  get failure(): RecPushError | undefined {
    return this.#failure;
  }

  /**
   * Resolves when the entry is with the operating system: it survives the end of this process, but not yet a power
   * failure. Returns its line.
   */
  async append(entry: JournalEntry): Promise<LineName> {
    const mine: Waiting = { entry, line: { number: 0, sum: 0 }, failure: undefined, isDone: false };
    this.#pending.push(mine);
    // Everything that is appended during one write goes into the next.
    while (!mine.isDone) {
      this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
      await this.#writing;
    }
    if (mine.failure !== undefined) throw mine.failure;
    return mine.line;
  }

  /** Resolves when everything appended before is on disk; one sync serves all callers that ask in the meantime. */
  async sync(): Promise<void> {
    // A sync under way may have begun before the last entry was written.
    await this.#syncing;
    this.#syncing ??= this.#sync().finally(() => (this.#syncing = undefined));
    await this.#syncing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async close(): Promise<void> {
    await this.#reserve.giveUp();
    await this.#handle.close();
  }

  async #write(): Promise<void> {
    // Answers that have come are read first: their outcomes, and what is sent next, share a write.
    await setImmediate();
    const waiting = this.#pending.splice(0);
    try {
      if (this.#failure === undefined) await this.#writeAll(waiting);
    } catch (cause) {
      this.#failure = cannotWrite(this.#path, cause);
    } finally {
      for (const one of waiting) {
        one.failure ??= this.#failure;
        one.isDone = true;
      }
    }
  }

  async #writeAll(waiting: readonly Waiting[]): Promise<void> {
    await this.#lock.checkAfterGap();
    if (this.#full === undefined) {
      try {
        await this.#writeLines(waiting);
        return;
      } catch (cause) {
        this.#full = cannotWrite(this.#path, cause);
        await this.#reserve.giveUp();
      }
    }
    for (const one of waiting) if (!settlesSent(one.entry)) one.failure = this.#full;
    await this.#writeLines(waiting.filter(({ failure }) => failure === undefined));
  }

  /** Writes all lines or, as far as the journal counts, none. */
  async #writeLines(waiting: readonly Waiting[]): Promise<void> {
    const { bytes: start } = this.#end;
    let { number, sum } = this.#end;
    let text = "";
    for (const one of waiting) {
      number += 1;
      const written = spellLine({ number, fence: this.#lock.fence, entry: one.entry }, sum);
      text += written.line;
      sum = written.sum;
      one.line = { number, sum };
    }
    const bytes = Buffer.from(text);
    try {
      for (let at = 0; at < bytes.length;)
        at += (await this.#handle.write(bytes, at, bytes.length - at, start + at)).bytesWritten;
    } catch (cause) {
      // The next process would take whole lines among what was written as valid.
      await this.#handle.truncate(start).catch(() => undefined);
      throw cause;
    }
    this.#end = { bytes: start + bytes.length, number, sum };
  }

  async #sync(): Promise<void> {
    await Promise.resolve();
    if (this.#failure !== undefined) return;
    try {
      await this.#handle.datasync();
    } catch (cause) {
      this.#failure = cannotWrite(this.#path, cause);
    }
  }
}

function reserveOf(path: string): string {
  return `${path}-reserve`;
}

/** True for entries that say what became of something; the others begin something new. */
function settlesSent({ entry }: JournalEntry): boolean {
  return entry === "outcome" || entry === "end";
}

function cannotWrite(path: string, cause: unknown): RecPushError {
  if (cause instanceof RecPushError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  const { code = "" } = cause as { readonly code?: string };
  const mend = FULL.has(code) ? `free space on the disk of ${path}` : "mend that";
  return new RecPushError("machine", "cannot-write-journal", `the journal cannot be written: ${why}`, {
    hint: `${mend}, then run the same command again: it continues where this one ended; with another --state-dir it would not know what was sent, and records would be created twice`,
    cause,
  });
}

/** Enough for the outcomes of all requests in flight, and for the end of the run. */
const RESERVE_BYTES = 65_536;

/**
 * Disk space that is set aside in a private file. On a full disk it is given up, so that what has been sent can still
 * be written down. Random, because a file system that packs files would set nothing aside for zeros.
 */
export class DiskReserve {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  static async setAside(path: string): Promise<DiskReserve> {
    const reserve = new DiskReserve(path);
    try {
      await writeFile(path, randomBytes(RESERVE_BYTES), { mode: 0o600 });
      return reserve;
    } catch (error) {
      await reserve.giveUp();
      throw error;
    }
  }

  async giveUp(): Promise<void> {
    await rm(this.#path, { force: true }).catch(() => undefined);
  }
}
