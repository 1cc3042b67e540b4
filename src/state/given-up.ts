/** Requests given up more than a day ago are no longer waited for. */
const FORGOTTEN_AFTER_MS = 86_400_000;

/** The entry of a lock file about updates that were given up. */
export interface GivenUpWords {
  /** How long ago the last of them was given up, when the file was written. */
  readonly agoMs: number;
  /** The run that all of them belong to; absent if they belong to several, or if that is not known. */
  readonly run?: string;
}

/**
 * Updates that were given up without an answer, by this holder of a table's lock or those before it: the service may still
 * apply them. Measured by a clock that nobody sets; while a machine sleeps it stands still, and they are waited for longer.
 */
export class GivenUp {
  readonly #now: () => number;
  readonly #inherited: Noted | undefined;
  #own: Noted | undefined;

  constructor(inherited?: GivenUpWords, now = () => performance.now()) {
    this.#now = now;
    if (inherited !== undefined && inherited.agoMs < FORGOTTEN_AFTER_MS)
      this.#inherited = { at: now() - Math.max(0, inherited.agoMs), run: inherited.run };
  }

  /** An update of this run was given up now. */
  note(run: string): void {
    this.#own = { at: this.#now(), run: this.#own === undefined || this.#own.run === run ? run : undefined };
  }

  /** Milliseconds since an earlier holder gave one up; `undefined` if none did, or all are of the run `besides`. */
  earlierAgoMs(besides?: string): number | undefined {
    if (this.#inherited === undefined || (besides !== undefined && this.#inherited.run === besides))
      return undefined;
    return this.#now() - this.#inherited.at;
  }

  /** For the next holder. */
  spell(): { readonly givenUp?: GivenUpWords } {
    const all = [this.#inherited, this.#own].filter((noted) => noted !== undefined);
    if (all.length === 0) return {};
    const agoMs = Math.round(this.#now() - Math.max(...all.map(({ at }) => at)));
    if (agoMs >= FORGOTTEN_AFTER_MS) return {};
    const run = all[0]?.run;
    const isOne = run !== undefined && all.every((noted) => noted.run === run);
    return { givenUp: { agoMs, ...(isOne ? { run } : {}) } };
  }
}

interface Noted {
  readonly at: number;
  readonly run: string | undefined;
}
