import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { replaceFile } from "./private-file.ts";

/**
 * How often the holder writes to its file: for processes that cannot see its own, on another machine or in another
 * container, and to say until when it sent updates if it is killed.
 */
export const BEAT_MS = 5000;
/** How long a look at the file remains valid. */
const LOOK_MS = 1000;

/** The text of a lock file for the numbers that are handed on: empty if there are none. */
export function spellKnown(known: ReadonlyMap<string, number>): { readonly known?: object } {
  return known.size === 0 ? {} : { known: Object.fromEntries(known) };
}

/** A lock held by this process, until another process takes it because this one was silent for too long. */
export class HeldLock {
  /**
   * Grows with each holder, even over crashes and power failures: of two holders the later one has the higher number.
   */
  readonly fence: number;
  /** Numbers that the file hands on to the next holder. */
  readonly known: Map<string, number>;
  /** Updates that may still land, of this holder and those before it. */
  readonly givenUp: GivenUp;
  readonly #path: string;
  readonly #text: string;
  readonly #beat: NodeJS.Timeout;
  readonly #sending = new Map<string, Promise<void>>();
  #isLost = false;
  /** When the file was seen last, by both clocks: one stops while the machine sleeps, the other may be set back. */
  #seenAt = { steady: performance.now(), wall: Date.now() };

  /** `text` is what the file holds, one line. */
  constructor(
    path: string,
    fence: number,
    text: string,
    { known, givenUp }: { readonly known: ReadonlyMap<string, number>; readonly givenUp: GivenUp },
  ) {
    this.fence = fence;
    this.known = new Map(known);
    this.givenUp = givenUp;
    this.#path = path;
    this.#text = text;
    this.#beat = setInterval(() => void this.#say().catch(() => undefined), BEAT_MS);
    this.#beat.unref();
  }

  /**
   * Looks whether this process still holds the lock: a successor removes the file before it does anything. The file
   * is opened, because that makes a network file system ask its server. Throws what node:fs throws.
   */
  async isHeld(): Promise<boolean> {
    const seenAt = { steady: performance.now(), wall: Date.now() };
    const handle = await this.#open("r");
    await handle?.close();
    this.#seenAt = seenAt;
    return !this.#isLost;
  }

  /**
   * Looks only if, by either clock, the last look is more than a second ago: the process may have been paused since.
   */
  async isHeldAfterGap(): Promise<boolean> {
    const { steady, wall } = this.#seenAt;
    const wallMs = Date.now() - wall;
    if (performance.now() - steady <= LOOK_MS && wallMs >= 0 && wallMs <= LOOK_MS) return !this.#isLost;
    return this.isHeld();
  }

  /**
   * Notes that updates of this run are sent from now on: whoever takes the lock after a kill learns that some may still
   * land. On disk when it resolves, so that a power failure does not undo it. Throws what node:fs throws.
   */
  noteSending(run: string): Promise<void> {
    const noted = this.#sending.get(run) ?? this.#append(`${JSON.stringify({ sending: run })}\n`);
    this.#sending.set(run, noted);
    return noted;
  }

  async release(): Promise<void> {
    clearInterval(this.#beat);
    // If the disk is full, the lock ends when the process does.
    if (!this.#isLost && (await this.isHeld().catch(() => false)))
      await replaceFile(this.#path, this.#lastWord()).catch(() => undefined);
  }

  #lastWord(): string {
    return JSON.stringify({ ...spellKnown(this.known), ...this.givenUp.spell() });
  }

  async #append(line: string): Promise<void> {
    // Not created anew: a successor has removed it.
    const handle = await this.#open(constants.O_WRONLY | constants.O_APPEND);
    if (handle === undefined) return;
    try {
      await handle.write(line);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  /**
   * Writes what is there already, so that the file system sets its own time, with which this machine's clock need not
   * agree.
   */
  async #say(): Promise<void> {
    const handle = await this.#open("r+");
    if (handle === undefined) return;
    try {
      await handle.write(this.#text, 0);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  async #open(flags: "r" | "r+" | number) {
    try {
      return this.#isLost ? undefined : await open(this.#path, flags);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ESTALE") throw error;
      this.#isLost = true;
      clearInterval(this.#beat);
      return undefined;
    }
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
