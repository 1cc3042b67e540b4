/**
 * Shortest time to measure over: in a shorter one, the first requests of a service that allows a burst would look
 * like its rate.
 */
const LEAST_MEASURE_MS = 1000;
const HOLD_MS = { first: 5000, usual: 10_000, most: 60_000 };
/**
 * Per second: how fast the rate grows at first once it was held long enough, and how that growth speeds up to the
 * maximum.
 */
const GROWTH = {
  searching: { first: 0.01, quickens: 1.4 },
  probing: { first: 0.004, quickens: 1.25 },
  most: 0.25,
};
/** Factors for a rate that was refused before it was held long enough: for the first time, the second ... */
const CUTS = [0.98, 0.95, 0.9, 0.8, 0.6] as const;
/**
 * One rate that held the requests back for nearly all the time between two refusals used up what the service allows: what
 * it accepted then is its limit, with an error of one request.
 */
const SURE = { requests: 40, share: 0.75 };
/** Smallest factor for a rate that was refused when it was above one that held. */
const MOST_CUT = 0.85;
/** A rate less than this factor above a sustained one is close enough: there is nothing more to find. */
const CLOSE = 1.04;
/** Beyond this factor, the service's limit has moved. */
const FAR = 1.1;
const LEAST_PER_SECOND = 0.1;

/**
 * Finds the request rate that a service sustains from the requests that it refuses as too many (429). A rate is held,
 * then probed upwards with growing speed; a refusal brings it back between the rate that was sustained and the one
 * that was refused, and the next probe comes later. Between two refusals a service accepts no more than its limit
 * allows, so the rate it accepted in that time is never too high, and it is the limit if one rate was kept all the time.
 * Times are milliseconds of one clock.
 */
export class RateFinder {
  #perSecond: number | undefined;
  /** The highest rate that was held long enough. */
  #borne: number | undefined;
  #holdMs = HOLD_MS.first;
  /** For how long the present rate, and not something else, has held requests back. */
  #boundMs = 0;
  /** Refusals since a rate was last held long enough. */
  #misses = 0;
  /** The rate was never refused, so it may be far from the limit. */
  #isSearching = true;
  #accepted = 0;
  #countedFromMs: number | undefined;
  #refusedMs: number | undefined;
  #lastMs = 0;

  /** Requests per second; `undefined` as long as the service has refused none. */
  get perSecond(): number | undefined {
    return this.#perSecond;
  }

  /** A request is sent; `hasWaited`: the rate held it back. */
  leaving(nowMs: number, hasWaited: boolean): void {
    this.#countedFromMs ??= nowMs;
    if (this.#perSecond !== undefined) {
      if (hasWaited) this.#advance(this.#perSecond, nowMs - this.#lastMs);
    } else if (this.#refusedMs !== undefined && this.#accepted > 0) {
      this.#hold((this.#accepted * 1000) / Math.max(LEAST_MEASURE_MS, nowMs - this.#countedFromMs));
      this.#count(this.#refusedMs);
    }
    this.#lastMs = nowMs;
  }

  accepted(): void {
    this.#accepted += 1;
  }

  /** A request sent at `sentMs` was one too many. Those that were in flight together count as one refusal. */
  refused(sentMs: number, nowMs: number): void {
    if (this.#refusedMs !== undefined && sentMs <= this.#refusedMs) return;
    this.#refusedMs = nowMs;
    const refused = this.#perSecond;
    if (refused === undefined) return;
    this.#isSearching = false;
    const countedMs = Math.max(1, nowMs - (this.#countedFromMs ?? nowMs));
    const measured = (this.#accepted * 1000) / countedMs;
    const wasHeld = this.#boundMs <= this.#holdMs;
    const isLimit = wasHeld && this.#accepted >= SURE.requests && this.#boundMs >= countedMs * SURE.share;
    const back = wasHeld ? this.#backFromHold(refused) : this.#backFromProbe(refused);
    const next = isLimit ? measured : Math.max(back, measured);
    this.#hold(Math.min(refused * CUTS[0], next));
    this.#count(nowMs);
  }

  #backFromProbe(refused: number): number {
    this.#wait(this.#borne !== undefined && refused < this.#borne * FAR);
    return this.#between(refused) ?? refused * MOST_CUT;
  }

  /**
   * Even a rate that was sustained for a while may be above the limit, because bursts are allowed until they are used
   * up.
   */
  #backFromHold(refused: number): number {
    const between = this.#between(refused);
    if (between !== undefined) return between;
    const cut = CUTS[Math.min(this.#misses, CUTS.length - 1)] ?? 1;
    this.#misses += 1;
    this.#wait(this.#misses < CUTS.length);
    this.#borne = undefined;
    return refused * cut;
  }

  /** Most of the way back to the rate that was sustained; `undefined` if that was not lower. */
  #between(refused: number): number | undefined {
    const borne = this.#borne;
    if (borne === undefined || refused <= borne) return undefined;
    return refused < borne * CLOSE ? borne : Math.max(refused * MOST_CUT, borne + (refused - borne) / 4);
  }

  /** If the limit has not moved, it is probed less often. */
  #wait(isNear: boolean): void {
    this.#holdMs = isNear ? Math.min(HOLD_MS.most, Math.max(HOLD_MS.usual, this.#holdMs * 2)) : HOLD_MS.usual;
  }

  #hold(perSecond: number): void {
    this.#perSecond = Math.max(LEAST_PER_SECOND, perSecond);
    this.#boundMs = 0;
  }

  #count(fromMs: number): void {
    this.#countedFromMs = fromMs;
    this.#accepted = 0;
  }

  #advance(perSecond: number, elapsedMs: number): void {
    this.#boundMs += elapsedMs;
    const beyondSeconds = (this.#boundMs - this.#holdMs) / 1000;
    if (beyondSeconds <= 0) return;
    if (beyondSeconds <= elapsedMs / 1000) {
      this.#borne = perSecond;
      this.#misses = 0;
    }
    const { first, quickens } = this.#isSearching ? GROWTH.searching : GROWTH.probing;
    const growth = Math.min(GROWTH.most, first * quickens ** beyondSeconds);
    this.#perSecond = perSecond * (1 + growth) ** (Math.min(elapsedMs, 1000) / 1000);
  }
}
