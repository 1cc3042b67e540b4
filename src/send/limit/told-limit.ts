/** A limit on requests, as the service announces it in an answer. */
export interface ToldQuota {
  /** Requests that are left. */
  readonly left: number;
  /** Milliseconds until more are allowed. */
  readonly resetMs: number;
}

/** The first value of a header, by its name in lower case. */
type Header = (name: string) => string | undefined;

/**
 * The limits that the headers of an answer announce: `RateLimit` of the httpapi draft (`"name";r=50;t=30`, or in
 * earlier ones `limit=100, remaining=50, reset=30`), or `RateLimit-Remaining` and `-Reset`, also with `X-`. What cannot
 * be read is left out. `nowMs` is the time of day, for resets that are given as such.
 */
export function parseToldQuotas(header: Header, nowMs: number): readonly ToldQuota[] {
  const line = header("ratelimit")?.replaceAll(/"[^"]*"/g, "");
  if (line !== undefined) {
    const items = line.includes("remaining") ? [line] : line.split(",");
    return items.flatMap((item) => {
      const left = /\b(?:r|remaining) *= *(\d{1,12})\b/.exec(item)?.[1];
      const reset = /\b(?:t|reset) *= *(\d{1,12})\b/.exec(item)?.[1];
      return quotaOf(left, reset, nowMs);
    });
  }
  return ["", "x-", "x-rate-"].flatMap((prefix) => {
    const name = prefix === "x-rate-" ? "x-rate-limit" : `${prefix}ratelimit`;
    return quotaOf(header(`${name}-remaining`), header(`${name}-reset`), nowMs);
  });
}

function quotaOf(left: string | undefined, reset: string | undefined, nowMs: number): ToldQuota[] {
  if (left === undefined || reset === undefined) return [];
  if (!/^\d{1,12}$/.test(left.trim()) || !/^\d{1,15}(\.\d{1,9})?$/.test(reset.trim())) return [];
  return [{ left: Number(left), resetMs: msUntil(Number(reset), nowMs) }];
}

/** Seconds from now, or the time of day in seconds or milliseconds since 1970. */
function msUntil(reset: number, nowMs: number): number {
  if (reset > 1e11) return Math.max(0, reset - nowMs);
  return reset > 1e9 ? Math.max(0, reset * 1000 - nowMs) : reset * 1000;
}

/** No answer can stop the pace for longer than this; `--max-wait` decides before that. */
const MOST_MS = 24 * 60 * 60_000;
/** While one request asks whether more are allowed again, the others wait for its answer. */
const ASKING_MS = 1000;

/**
 * Keeps the limits that a service announces: it sends no more requests than are left until the announced time; then a
 * single request asks again. Times are milliseconds of one clock.
 */
export class AnnouncedLimit {
  #left = Infinity;
  #untilMs = 0;
  #toldMs = -Infinity;
  #inFlight = 0;

  /** A request may be sent, and will be. */
  leaving(): void {
    this.#inFlight += 1;
  }

  /** That request was not sent. */
  stayed(): void {
    this.#inFlight -= 1;
  }

  /**
   * A request that was sent at `sentMs` has ended. Without limits in its answer, or without an answer, it counts all the
   * same.
   */
  ended(told: readonly ToldQuota[], sentMs: number, nowMs: number): void {
    this.#inFlight -= 1;
    const [strictest] = told.toSorted((one, other) => one.left - other.left || other.resetMs - one.resetMs);
    if (strictest === undefined) this.#left -= 1;
    // Requests in flight together are not answered in the order in which they were counted.
    const isTogether = sentMs < this.#toldMs;
    if (strictest === undefined || (isTogether && strictest.left >= this.#left)) return;
    this.#toldMs = nowMs;
    this.#left = strictest.left;
    this.#untilMs = nowMs + Math.min(strictest.resetMs, MOST_MS);
  }

  /** Milliseconds for which nothing may be sent. */
  waitMs(nowMs: number): number {
    if (this.#left > this.#inFlight) return 0;
    if (nowMs < this.#untilMs) return this.#untilMs - nowMs;
    return this.#inFlight === 0 ? 0 : ASKING_MS;
  }

  /** Milliseconds to wait if the limit itself is used up, not only by the requests in flight. */
  usedUpMs(nowMs: number): number {
    return this.#left > 0 ? 0 : Math.max(0, this.#untilMs - nowMs);
  }
}
