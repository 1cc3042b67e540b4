import { createReadStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { JournalEntry } from "./journal-entry.ts";
import { writeLine, type JournalEnd } from "./journal-line.ts";
import { replaceFile } from "../state/atomic-file.ts";
import { syncDirectory } from "../state/sync-directory.ts";
import type { TableLock } from "../state/table-lock.ts";

/** The lock under which a journal is written. */
export type WriterLock = Pick<TableLock, "fence" | "known" | "givenUp" | "check" | "checkAfterGap">;

/** Appends to a run's journal; once a write has failed, every later call fails too. */
export class JournalWriter {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #lock: WriterLock;
  #bytes: number;
  #lines: number;
  #sum: number;
  /** Lines that have not been written yet; one write at a time writes all of them. */
  #pending: string[] = [];
  /** The number of entries accepted, and of those that were written or have failed. */
  #taken = 0;
  #done = 0;
  #writing: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  #failure: RecPushError | undefined;

  private constructor(path: string, handle: FileHandle, end: JournalEnd, lock: WriterLock) {
    this.#path = path;
    this.#handle = handle;
    this.#lock = lock;
    this.#bytes = end.bytes;
    this.#lines = end.lines;
    this.#sum = end.sum;
  }

  /** Creates a journal (0600); its name, and those of the directories above it, are on disk when this resolves. */
  static async create(
    path: string,
    directories: readonly string[],
    lock: WriterLock,
  ): Promise<JournalWriter> {
    try {
      const handle = await open(path, "wx", 0o600);
      for (const directory of directories) await syncDirectory(directory);
      return new JournalWriter(path, handle, { bytes: 0, lines: 0, sum: 0 }, lock);
    } catch (cause) {
      throw cannotWrite(path, cause);
    }
  }

  /**
   * Continues after the last whole line, without the partial line that a crash left, in a copy that replaces the
   * journal: a process that was paused and has lost the lock cannot write into that copy when it wakes.
   */
  static async reopen(path: string, end: JournalEnd, lock: WriterLock): Promise<JournalWriter> {
    try {
      await replaceFile(path, async (copy) => {
        for await (const part of createReadStream(path, { end: end.bytes - 1 }))
          await copy.write(part as Buffer);
        await lock.check();
      });
      // Nothing may be written from here on to a file that a power failure could undo.
      await syncDirectory(dirname(path));
      return new JournalWriter(path, await open(path, "r+"), end, lock);
    } catch (cause) {
      throw cannotWrite(path, cause);
    }
  }

  /**
   * Resolves when the entry is with the operating system: it survives the end of this process, but not yet a power
   * failure. Returns its line number.
   */
  async append(entry: JournalEntry): Promise<number> {
    this.#lines += 1;
    const number = this.#lines;
    const { line, sum } = writeLine({ number, fence: this.#lock.fence, entry }, this.#sum);
    this.#sum = sum;
    this.#pending.push(line);
    this.#taken += 1;
    const mine = this.#taken;
    // Everything that is appended during one write goes into the next.
    while (this.#done < mine) {
      this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
      await this.#writing;
    }
    if (this.#failure !== undefined) throw this.#failure;
    return number;
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
    await this.#handle.close();
  }

  async #write(): Promise<void> {
    await Promise.resolve();
    const lines = this.#pending.splice(0);
    const bytes = Buffer.from(lines.join(""));
    try {
      if (this.#failure !== undefined) return;
      await this.#lock.checkAfterGap();
      for (let at = 0; at < bytes.length;) {
        const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, this.#bytes);
        at += bytesWritten;
        this.#bytes += bytesWritten;
      }
    } catch (cause) {
      this.#failure = cannotWrite(this.#path, cause);
    } finally {
      this.#done += lines.length;
    }
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

function cannotWrite(path: string, cause: unknown): RecPushError {
  if (cause instanceof RecPushError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new RecPushError("machine", "cannot-write-journal", `the journal cannot be written: ${why}`, {
    hint: `free space on the disk of ${path}, then run the same command again: it continues where this one ended; with another --state-dir it would not know what was sent, and records would be created twice`,
    cause,
  });
}
