import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { RecPushError } from "../model/failure.ts";
import { EMPTY_LOG, type LineName, type LogEnd, replaceLog, writeLines } from "./log.ts";
import type { JournalEntry } from "./read-journal.ts";
import { syncDirectory } from "./state-directory.ts";
import type { TableLock } from "./held-lock.ts";

/** The codes of a disk, or of a user's share of it, that is full. */
const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** Appends to a run's journal. Once a write has failed, as on a full disk, it takes no entry more. */
export class JournalWriter {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #lock: TableLock;
  #end: LogEnd;
  #syncing: Promise<void> | undefined;
  #failure: RecPushError | undefined;

  private constructor(path: string, handle: FileHandle, end: LogEnd, lock: TableLock) {
    this.#path = path;
    this.#handle = handle;
    this.#lock = lock;
    this.#end = end;
  }

  /** Creates a journal (0600); its name, and that of its directory, are on disk when this resolves. */
  static async create(path: string, lock: TableLock): Promise<JournalWriter> {
    try {
      const handle = await open(path, "wx", 0o600);
      await syncDirectory(dirname(path));
      await syncDirectory(dirname(dirname(path)));
      return new JournalWriter(path, handle, EMPTY_LOG, lock);
    } catch (cause) {
      throw cannotWrite(path, cause);
    }
  }

  /** Continues after the last whole line, without the partial line that a crash left, in a copy that replaces the journal. */
  static async reopen(path: string, end: LogEnd, lock: TableLock): Promise<JournalWriter> {
    try {
      await replaceLog(path, end, lock.check);
      return new JournalWriter(path, await open(path, "r+"), end, lock);
    } catch (cause) {
      throw cannotWrite(path, cause);
    }
  }

  /** Where the next line goes. */
  get end(): LogEnd {
    return this.#end;
  }

  /** The reason if nothing can be written any more. */
  get failure(): RecPushError | undefined {
    return this.#failure;
  }

  /**
   * Hands an entry to the operating system: it survives the end of this process, but not yet a power failure. Returns its
   * line. Throws a machine error.
   */
  append(entry: JournalEntry): LineName {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      this.#lock.checkAfterGap();
      const [end] = writeLines(this.#handle.fd, this.#end, this.#lock.fence, [entry]);
      return (this.#end = end!);
    } catch (cause) {
      throw (this.#failure = cannotWrite(this.#path, cause));
    }
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

  async #sync(): Promise<void> {
    // Answers that have come are read first: their outcomes, and what is sent next, share a sync.
    await setImmediate();
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
  const { code = "" } = cause as { readonly code?: string };
  const mend = FULL.has(code) ? `free space on the disk of ${path}` : "mend that";
  return new RecPushError("cannot-write-journal", `the journal cannot be written: ${why}`, {
    hint: `${mend}, then run the same command again: it continues where this one ended; with another --state-dir it would not know what was sent, and records would be created twice`,
    cause,
  });
}
