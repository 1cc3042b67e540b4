/**
 * Shortest time to measure over: in a shorter one, the first requests of a service that allows a burst would look
 * like its rate.
 */
const LEAST_MEASURE_MS = 1000;
/** How long a rate is held before it is probed upwards; the time doubles as long as the limit has not moved. */
const HOLD_MS = { first: 5000, usual: 10_000, most: 60_000 };
/** Per second: how fast a probe grows at first, and how that growth speeds up to the maximum. */
const GROWTH = { first: 0.005, quickens: 1.3, most: 0.25 };
/** Factor for a rate that was refused before it was held long enough. */
const CUT = 0.95;
/** Factors between which a rate falls that was refused when it was probed. */
const PROBE_CUTS = { least: 0.98, most: 0.85 };
/** Beyond this factor above a rate that was sustained, the service's limit has moved. */
const FAR = 1.1;
const LEAST_PER_SECOND = 0.1;

/**
 * Finds the request rate that a service sustains from the requests that it refuses as too many (429). A rate is held,
 * then probed upwards with growing speed; a refusal brings it back between the rate that was sustained and the one
 * that was refused, and the next probe comes later. Between two refusals a service accepts no more than its limit
 * allows, so the rate it accepted in that time is never too high. Times are milliseconds of one clock.
 */
export class RateFinder {
  #perSecond: number | undefined;
  /** The highest rate that was held long enough. */
  #borne: number | undefined;
  #holdMs = HOLD_MS.first;
  /** For how long the present rate alone has held requests back. */
  #boundMs = 0;
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
    const measured = (this.#accepted * 1000) / Math.max(1, nowMs - (this.#countedFromMs ?? nowMs));
    const borne = this.#borne;
    const isNear = borne !== undefined && refused < borne * FAR;
    this.#holdMs = isNear ? Math.min(HOLD_MS.most, Math.max(HOLD_MS.usual, this.#holdMs * 2)) : HOLD_MS.usual;
    let back = refused * CUT;
    if (borne !== undefined && refused > borne)
      back = Math.max(refused * PROBE_CUTS.most, borne + (refused - borne) / 4);
    else this.#borne = undefined;
    this.#hold(Math.min(refused * PROBE_CUTS.least, Math.max(back, measured)));
    this.#count(nowMs);
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
    if (beyondSeconds <= elapsedMs / 1000) this.#borne = perSecond;
    const growth = Math.min(GROWTH.most, GROWTH.first * GROWTH.quickens ** beyondSeconds);
    this.#perSecond = perSecond * (1 + growth) ** (Math.min(elapsedMs, 1000) / 1000);
  }
}
