import { closeSync, openSync, writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { LineName } from "./log.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { cannotUse, type TableId } from "./state-directory.ts";

/**
 * A lock file only grows: each line is the whole state in JSON, and the last readable line counts, so that a write that was
 * cut off changes nothing, even if a power failure left zeros in its place. The first line is on disk before the file becomes
 * the lock. The empty line before it is rewritten again and again as a sign of life.
 */

/** The content of a line of a lock file. Without a holder, the lock was given back. */
export interface LockState {
  readonly holder?: ProcessIdentity | undefined;
  /** By open run: the least number of lines in its journal. So a journal that lost some is noticed. */
  readonly journals?: Readonly<Record<string, number>> | undefined;
  /** The last line of the table's book; absent if it is uncertain. */
  readonly book?: LineName | undefined;
  /** The runs whose updates the holder has begun to send. */
  readonly sending?: readonly string[];
  /** Updates that were given up: those that its holder found, and its own. */
  readonly givenUp?: GivenUpAt | undefined;
}

/** A line of a lock file, apart from whatever a write that failed or a power failure left before it or after it. */
export function spellState(state: LockState): Buffer {
  return Buffer.from(`\n${JSON.stringify(state)}\n`);
}

/**
 * How often the holder writes to its file. Processes on another machine or in another container cannot see its process; and
 * after a kill the file says until when it may have sent updates.
 */
export const BEAT_MS = 5000;
/** How long a check of the file remains valid. */
const LOOK_MS = 1000;

/** The lock of a table, held by this process. Its methods throw a machine error if its file cannot be read or written. */
export type TableLock = Pick<HeldLock, keyof HeldLock>;

/**
 * A lock held by this process, until another process takes it because this one was silent for too long. Its methods may be passed
 * on without it.
 */
export class HeldLock {
  readonly table: TableId;
  /**
   * Grows with each holder, even over crashes and power failures: of two holders the later one has the higher number.
   */
  readonly fence: number;
  /** False if the holder before was killed or given up: it may still wake. */
  readonly wasReleased: boolean;
  /** Updates that may still land, of this holder and those before it. */
  readonly givenUp: GivenUp;
  readonly #path: string;
  readonly #handle: FileHandle;
  /** Where the next line goes. */
  #size: number;
  readonly #beat: NodeJS.Timeout;
  readonly #sending = new Map<string, Promise<void>>();
  /** What the next line says, besides the updates that are sent or given up. */
  #state: Pick<LockState, "holder" | "journals" | "book">;
  #isLost = false;
  /** When the file was seen last, by both clocks: one stops while the machine sleeps, the other may be set back. */
  #seenAt = { steady: performance.now(), wall: Date.now() };

  /** `handle` is that of the file, of `size` bytes, whose only line says `state`. It writes even if a successor has removed the file. */
  constructor(
    path: string,
    table: TableId,
    fence: number,
    { handle, size }: { readonly handle: FileHandle; readonly size: number },
    { holder, journals = {}, book }: LockState,
    found: Pick<TableLock, "givenUp" | "wasReleased">,
  ) {
    this.table = table;
    this.fence = fence;
    this.wasReleased = found.wasReleased;
    this.givenUp = found.givenUp;
    this.#path = path;
    this.#handle = handle;
    this.#size = size;
    this.#state = { holder, journals, book };
    this.#beat = setInterval(() => void this.#say().catch(() => undefined), BEAT_MS);
    this.#beat.unref();
  }

  /** The last line of the table's book, as the holder before or this one noted it; `undefined` if a book had no lock. */
  get found(): LineName | undefined {
    return this.#state.book;
  }

  /**
   * Throws a locked error if this process has lost the lock: a successor removes the file before it does anything. The file is
   * opened, because that makes a network file system ask its server.
   */
  readonly check = async (): Promise<void> => {
    this.#look();
  };

  /**
   * Like {@link check}, but only if the last check is more than a second old: this process may have been paused since.
   * Synchronous, so that nothing can come between it and the first byte of a request.
   */
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

  /**
   * To be awaited before an update of this run is sent. After a kill or a power failure, the next holder then learns that
   * some may still land.
   */
  readonly noteSending = async (run: string): Promise<void> => {
    // The run is among them before the line that names it is written.
    if (!this.#sending.has(run))
      this.#sending.set(
        run,
        Promise.resolve().then(() => this.#note(true)),
      );
    await this.#sending.get(run);
  };

  /** Notes how many lines of a run's journal are on disk; 0 once the run is closed. */
  readonly noteLines = async (run: string, lines: number): Promise<void> => {
    const { [run]: noted = 0, ...others } = this.#state.journals ?? {};
    if (lines === 0) this.#state = { ...this.#state, journals: others };
    if (lines <= noted) return;
    this.#state = { ...this.#state, journals: { ...others, [run]: lines } };
    await this.#note();
  };

  /** Names the line that the next holder must find in the book; with `isSynced` also after a power failure. */
  readonly handOn = async (line: LineName, isSynced?: boolean): Promise<void> => {
    this.#state = { ...this.#state, book: line };
    await this.#note(isSynced);
  };

  /** After a power failure the lock may be as it was before: then it ends as that of a process that was killed. */
  readonly release = async (): Promise<void> => {
    clearInterval(this.#beat);
    // If the disk is full, the lock ends when the process does.
    const state = { ...this.#state, holder: undefined, ...this.givenUp.spell() };
    await this.#write(state).catch(() => undefined);
    await this.#handle.close();
  };

  /** The note survives the end of the process, and with `isSynced` a power failure. */
  async #note(isSynced = false): Promise<void> {
    const sending = [...this.#sending.keys()];
    const state = { ...this.#state, sending, ...this.givenUp.spell() };
    try {
      await this.#write(state, isSynced);
    } catch (cause) {
      if (!this.#losesBy(cause)) throw cannotUse(dirname(this.#path), cause);
    }
    if (isSynced) this.#look();
  }

  async #write(state: LockState, isSynced = false): Promise<void> {
    const line = spellState(state);
    // Synchronous: the line only goes to the system's memory, and an asynchronous write would cost more time.
    for (let at = 0; at < line.length;) {
      const written = writeSync(this.#handle.fd, line, at, line.length - at, this.#size);
      at += written;
      this.#size += written;
    }
    if (isSynced) await this.#handle.datasync();
  }

  /**
   * Rewrites a byte that is there already: the file system then sets its own time, from which this machine's clock may
   * differ.
   */
  async #say(): Promise<void> {
    this.#look();
    await this.#handle.write("\n", 0);
    await this.#handle.datasync();
  }

  /** True if this error says that a successor has removed the file; notes so. */
  #losesBy(error: unknown): boolean {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ESTALE") return false;
    this.#isLost = true;
    clearInterval(this.#beat);
    return true;
  }

  #refuseLost(): void {
    if (!this.#isLost) return;
    throw new RecPushError(
      "lock-lost",
      `this process has lost the lock of the table ${this.table.url}: it was silent for minutes, and another process has pushed there since; nothing more is sent`,
      {
        hint: "rec-push runs says how to go on; when the other process has ended, run the same command again",
      },
    );
  }
}

/** Updates that were given up: by run, when the last of their requests left, by the clock of the file system that holds the locks. */
export type GivenUpAt = Readonly<Record<string, number>>;

/** Requests given up more than a day ago are no longer waited for. */
const FORGOTTEN_AFTER_MS = 86_400_000;

/**
 * Updates that were given up without an answer, by this holder of a table's lock or those before it: the service may still
 * apply them. While a command runs, time is measured by a clock that nobody sets; while a machine sleeps it stands still,
 * and they are waited for longer.
 */
export class GivenUp {
  readonly #now: () => number;
  /** The time of this process's clock at 0 of the file system's clock. */
  readonly #offsetMs: number;
  /** The updates that this holder found: it hands them on as they are, unless it gives up updates of its own. */
  readonly #found: ReadonlyMap<string, number>;
  readonly #own = new Map<string, number>();

  /** `filesNowMs`: the present time by the clock of the file system. */
  constructor(found: GivenUpAt = {}, filesNowMs = 0, now = () => performance.now()) {
    this.#now = now;
    this.#offsetMs = now() - filesNowMs;
    const recent = Object.entries(found).filter(([, at]) => at > filesNowMs - FORGOTTEN_AFTER_MS);
    // That clock may have been set back.
    this.#found = new Map(recent.map(([run, at]) => [run, Math.min(at, filesNowMs)]));
  }

  /** An update of this run was given up, whose request left so long ago. */
  note(run: string, agoMs: number): void {
    const at = Math.round(this.#filesNow() - agoMs);
    this.#own.set(run, Math.max(at, this.#own.get(run) ?? 0, this.#found.get(run) ?? 0));
  }

  /** Milliseconds since the last one of an earlier holder left; `undefined` if there is none, or all are of the run `besides`. */
  earlierAgoMs(besides?: string): number | undefined {
    const others = [...this.#found].filter(([run]) => run !== besides).map(([, at]) => at);
    return others.length === 0 ? undefined : this.#filesNow() - Math.max(...others);
  }

  /** For the next holder. */
  spell(): { readonly givenUp?: GivenUpAt } {
    const all = new Map([...this.#found, ...this.#own]);
    return all.size === 0 ? {} : { givenUp: Object.fromEntries(all) };
  }

  #filesNow(): number {
    return this.#now() - this.#offsetMs;
  }
}
