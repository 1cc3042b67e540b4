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
