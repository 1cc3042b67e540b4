import { open } from "node:fs/promises";
import { replaceFile } from "./atomic-file.ts";

/** The holder writes to its file so often, for those who cannot see its process: another machine or container. */
export const BEAT_MS = 20_000;
/** A look at the file is good for so long. */
const LOOK_MS = 1000;

/** What a lock file says of the numbers that are handed on: nothing if there are none. */
export function spellKnown(known: ReadonlyMap<string, number>): { readonly known?: object } {
  return known.size === 0 ? {} : { known: Object.fromEntries(known) };
}

/** A lock that this process holds, until another one takes it because this one was silent for too long. */
export class HeldLock {
  /** Grows with each holder, also over crashes and power failures: of two holders the later one has the higher. */
  readonly fence: number;
  /** Numbers that the file hands on to the next holder. */
  readonly known: Map<string, number>;
  readonly #path: string;
  readonly #text: string;
  readonly #beat: NodeJS.Timeout;
  #isLost = false;
  /** When the file was seen last, by both clocks: one stands still while a machine sleeps, the other one may be set back. */
  #seenAt = { steady: performance.now(), wall: Date.now() };

  /** `text` is what the file holds. */
  constructor(path: string, fence: number, text: string, known: ReadonlyMap<string, number>) {
    this.fence = fence;
    this.known = new Map(known);
    this.#path = path;
    this.#text = text;
    this.#beat = setInterval(() => void this.#say().catch(() => undefined), BEAT_MS);
    this.#beat.unref();
  }

  /**
   * Looks whether this process still holds the lock: a successor removes the file before it does anything. It is opened, because
   * network file systems ask their server then. Throws what node:fs throws.
   */
  async isHeld(): Promise<boolean> {
    const seenAt = { steady: performance.now(), wall: Date.now() };
    const handle = await this.#open("r");
    await handle?.close();
    this.#seenAt = seenAt;
    return !this.#isLost;
  }

  /** Looks only if the last look is over a second ago by one of the clocks: the process may have been paused since. */
  async isHeldAfterGap(): Promise<boolean> {
    const { steady, wall } = this.#seenAt;
    const wallMs = Date.now() - wall;
    if (performance.now() - steady <= LOOK_MS && wallMs >= 0 && wallMs <= LOOK_MS) return !this.#isLost;
    return this.isHeld();
  }

  async release(): Promise<void> {
    clearInterval(this.#beat);
    // On a full disk the lock ends with the process.
    if (!this.#isLost && (await this.isHeld().catch(() => false)))
      await replaceFile(this.#path, JSON.stringify(spellKnown(this.known))).catch(() => undefined);
  }

  /** Writes what is there already: the file system gives it its own time, which a holder's clock need not agree with. */
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

  async #open(flags: "r" | "r+") {
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
