const FIRST_HOLD_MS = 30_000;
/** A push of hours tries again what a service could not do at its beginning. */
const MOST_HOLD_MS = 10 * 60_000;

/**
 * Remembers how many requests were in flight when the service said that it was overloaded: for a time, which doubles
 * with every overload, the most is one fewer. Overloads are not provoked, because each may put creates in doubt.
 */
class OverloadCeiling {
  #most = Infinity;
  #untilMs = -Infinity;
  #holdMs = FIRST_HOLD_MS;

  hit(inFlight: number, nowMs: number): void {
    this.#most = Math.max(1, inFlight - 1);
    this.#untilMs = nowMs + this.#holdMs;
    this.#holdMs = Math.min(MOST_HOLD_MS, this.#holdMs * 2);
  }

  /** The most requests in flight now; once the time is over, it grows by one at a time. */
  at(nowMs: number): number {
    if (nowMs < this.#untilMs) return this.#most;
    this.#most += 1;
    this.#untilMs = nowMs + FIRST_HOLD_MS;
    return this.#most;
  }
}

/** Few, because at the first rate limit all requests in flight are refused. */
const START = 2;
/**
 * Factors by which the limit grows in a round without a queue: in the first round, if a request takes as long as a
 * round at least, because there each step costs the time of a request; then until the first sign of a queue; and
 * after it.
 */
const GROWTH = { first: 8, climbing: 2, careful: 1.25 };
/**
 * Shortest duration of a round: where answers come at once, a higher limit gains little, and may exceed what the
 * service allows.
 */
const LEAST_ROUND_MS = 50;
/**
 * If answers come sooner than that, the first round is longer: a rate limit often allows a burst, and few requests
 * should be in flight when the burst is used up.
 */
const FIRST_ROUND_MS = 150;
/** Target queue length: one request waiting, so that the service never idles. */
const HEADROOM = 1;
/**
 * A round this many times slower than the baseline is not noise: the service has slowed down, and the limit falls
 * without a second look.
 */
const SLOWED = 2;
/**
 * A baseline that no round agrees with is trusted for 10 s, or for as long as so many sequential requests take. It is
 * probed again after half of that time.
 */
const BASE_HOLDS = { ms: 10_000, requests: 40 };

/** The latency of a request when none waits. */
interface Base {
  readonly ms: number;
  /** How many were in flight when it was measured. */
  readonly inFlight: number;
  /** When a round last agreed with it. */
  readonly atMs: number;
  /** When it was last measured with the load lowered on purpose. */
  readonly probedMs: number;
}

/**
 * Finds how many requests in flight a service works on at once. It works in rounds: a round ends when as many requests
 * as the limit allows were sent and answered under it, and gives their median latency. The limit grows fast until the
 * first sign of a queue, and from then on by a quarter at most; two rounds with a queue make it fall to the number that
 * the service really works on. Load alone can make every request slow, so now and then a round runs with half the
 * limit, to learn how long a request takes under less load. Every request is reported to it, in milliseconds of one
 * clock.
 */
export class AdaptiveLimit {
  readonly #most: number;
  readonly #ceiling = new OverloadCeiling();
  #limit: number;
  #growth = GROWTH.first;
  #inFlight = 0;
  #round: { fromMs: number; times: number[]; mostInFlight: number };
  #base: Base | undefined;
  /** The limit to return to after the round that measures the baseline. */
  #limitBeforeProbe: number | undefined;
  #isProbeDue = false;
  #wasQueueLong = false;
  /** A further sign before the next round belongs to the same overload. */
  #isOverloaded = false;

  constructor(most: number) {
    this.#most = most;
    this.#limit = Math.min(START, most);
    this.#round = { fromMs: -Infinity, times: [], mostInFlight: 0 };
  }

  get limit(): number {
    return this.#limit;
  }

  begin(nowMs: number, isWhole: boolean): RequestMark {
    if (this.#round.fromMs === -Infinity) this.#round.fromMs = nowMs;
    this.#inFlight += 1;
    this.#round.mostInFlight = Math.max(this.#round.mostInFlight, this.#inFlight);
    return { sentMs: nowMs, isWhole, isFresh: false };
  }

  end(mark: RequestMark, sign: LoadSign, nowMs: number): void {
    this.#inFlight -= 1;
    if (sign === "overloaded" || sign === "too-many") this.#backOff(mark, sign, nowMs);
    if (sign !== "answered" || !mark.isWhole || mark.sentMs < this.#round.fromMs) return;
    const ms = nowMs - mark.sentMs;
    // The first request of a connection is evidence if it is fast, and none if it is slow.
    if (mark.isFresh && this.#base !== undefined && queueLength(1, ms, this.#base.ms) > 0) return;
    const { times } = this.#round;
    times.push(ms);
    const leastMs = this.#base === undefined && ms < LEAST_ROUND_MS ? FIRST_ROUND_MS : LEAST_ROUND_MS;
    const isLongEnough = nowMs - this.#round.fromMs >= leastMs;
    if (isLongEnough && times.length >= this.#limit) this.#judge(median(times), nowMs);
  }

  /** Overload signs from requests that were in flight together count as one overload. */
  #backOff(mark: RequestMark, sign: LoadSign, nowMs: number): void {
    if (mark.sentMs < this.#round.fromMs) return;
    const { mostInFlight } = this.#round;
    if (sign === "overloaded" && !this.#isOverloaded) this.#ceiling.hit(mostInFlight, nowMs);
    this.#isOverloaded = true;
    this.#growth = GROWTH.careful;
    this.#limitBeforeProbe = undefined;
    this.#begin(Math.floor(mostInFlight / 2), nowMs);
  }

  #judge(ms: number, nowMs: number): void {
    this.#isOverloaded = false;
    const inFlight = this.#round.mostInFlight;
    if (this.#limitBeforeProbe === undefined) this.#adapt(ms, inFlight, nowMs);
    else this.#learnFromProbe(ms, inFlight, this.#limitBeforeProbe, nowMs);
  }

  #adapt(ms: number, inFlight: number, nowMs: number): void {
    const seen: Base = { ms, inFlight, atMs: nowMs, probedMs: -Infinity };
    let base = this.#base ?? seen;
    const holdMs = Math.max(BASE_HOLDS.ms, BASE_HOLDS.requests * ms);
    const isStale = nowMs - base.atMs > holdMs;
    if (isFaster(ms, base.ms) || (isStale && inFlight === 1)) base = seen;
    const queue = queueLength(inFlight, ms, base.ms);
    this.#base = queue === 0 ? { ...base, atMs: nowMs } : base;
    if (queue > 0) this.#growth = GROWTH.careful;
    else if (ms < LEAST_ROUND_MS) this.#growth = Math.min(GROWTH.climbing, this.#growth);
    const isDoubtful = nowMs - base.probedMs > holdMs / 2 || base.inFlight > Math.ceil(inFlight / 2);
    if (isStale || (queue >= HEADROOM && isDoubtful)) this.#isProbeDue = true;
    const next = this.#next(queue, inFlight, ms > base.ms * SLOWED, nowMs);
    if (!this.#isProbeDue || Math.min(next, inFlight) === 1) {
      this.#begin(next, nowMs);
      return;
    }
    this.#isProbeDue = false;
    this.#limitBeforeProbe = next;
    this.#begin(Math.ceil(Math.min(next, inFlight) / 2), nowMs);
  }

  #next(queue: number, inFlight: number, hasSlowed: boolean, nowMs: number): number {
    const isLong = queue > HEADROOM;
    const wasLong = this.#wasQueueLong;
    this.#wasQueueLong = isLong && !hasSlowed && !wasLong;
    if (isLong && (hasSlowed || wasLong))
      return Math.max(1, Math.min(this.#limit, Math.round(inFlight - queue) + HEADROOM));
    // If the limit was never reached, there is no evidence for a higher one.
    if (queue >= HEADROOM || inFlight < this.#limit) return this.#limit;
    const factor = this.#growth;
    this.#growth = Math.min(GROWTH.climbing, this.#growth);
    const grown = Math.max(this.#limit + 1, Math.floor(this.#limit * factor));
    return Math.max(this.#limit, Math.min(grown, this.#ceiling.at(nowMs)));
  }

  /**
   * A baseline that fell with the load was too high, so it is measured again with still less load. A rise is believed
   * once the old baseline is stale; until then the service is given room.
   */
  #learnFromProbe(ms: number, inFlight: number, before: number, nowMs: number): void {
    const old = this.#base ?? { ms, inFlight, atMs: nowMs };
    const hasFallen = isFaster(ms, old.ms);
    const isBelieved = hasFallen || nowMs - old.atMs > BASE_HOLDS.ms;
    const agrees = isBelieved || queueLength(1, ms, old.ms) === 0;
    this.#limitBeforeProbe = undefined;
    this.#base = {
      ms: isBelieved ? ms : old.ms,
      inFlight,
      atMs: agrees ? nowMs : old.atMs,
      probedMs: nowMs,
    };
    this.#isProbeDue = inFlight > 1 && hasFallen;
    this.#begin(before, nowMs);
  }

  #begin(limit: number, nowMs: number): void {
    this.#limit = Math.max(1, Math.min(this.#most, limit));
    this.#round = { fromMs: nowMs, times: [], mostInFlight: Math.min(this.#inFlight, this.#limit) };
  }
}

/** The median of some times: a few very slow answers do not move it. */
function median(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/**
 * A request that is slower by less than this is no sign of a queue: it may be network noise or a pause of this
 * process.
 */
const NOISE = { factor: 1.2, ms: 10 };

/**
 * How many of the requests in flight wait instead of being worked on, from what a request takes now and what it takes
 * where none waits (Little's law, as TCP Vegas uses it).
 */
function queueLength(inFlight: number, nowMs: number, baseMs: number): number {
  if (nowMs <= baseMs * NOISE.factor || nowMs <= baseMs + NOISE.ms) return 0;
  return inFlight * (1 - baseMs / nowMs);
}

/** True where a time is shorter than the base by more than noise. */
function isFaster(nowMs: number, baseMs: number): boolean {
  return nowMs * NOISE.factor < baseMs;
}

/** A request in flight, as the limit remembers it. */
export interface RequestMark {
  /** When its first byte was sent; before that, when it was begun. */
  sentMs: number;
  /** True if it carries a whole batch, so that its latency can be compared. */
  readonly isWhole: boolean;
  /** True if its connection was not used before, which may make it slower. */
  isFresh: boolean;
}

/** The sign of load in a request's end: it did the work, too many requests (429), too much work, or none. */
export type LoadSign = "answered" | "too-many" | "overloaded" | "nothing";
