import type { LimitOptions } from "../../../src/sandbox/requests.ts";
import type { MakeService } from "./simulate.ts";

export const SECOND = 1000;

/** How a service counts: whether it takes a request that arrives now, what is left after it, and when there are more. */
export type Counted = (nowMs: number) => {
  readonly isTaken: boolean;
  readonly left: number;
  readonly resetMs: number;
};

/** Windows that begin at whole multiples of their length, `offsetMs` later. */
export function windows({ requests, seconds }: LimitOptions, offsetMs = 0): Counted {
  const windowMs = seconds * SECOND;
  let begun = -1;
  let count = 0;
  return (nowMs) => {
    const at = Math.floor((nowMs + windowMs - offsetMs) / windowMs);
    if (at !== begun) [begun, count] = [at, 0];
    count += 1;
    const resetMs = at * windowMs + offsetMs - nowMs;
    return { isTaken: count <= requests, left: Math.max(0, requests - count), resetMs };
  };
}

/** The requests of the last `seconds`; the time told is when the first of them no longer counts. */
export function sliding({ requests, seconds }: LimitOptions): Counted {
  const taken: number[] = [];
  return (nowMs) => {
    while ((taken[0] ?? Infinity) <= nowMs - seconds * SECOND) taken.shift();
    const isTaken = taken.length < requests;
    if (isTaken) taken.push(nowMs);
    const resetMs = (taken[0] ?? nowMs) + seconds * SECOND - nowMs;
    return { isTaken, left: requests - taken.length, resetMs };
  };
}

/** A bucket that fills evenly; the time told is when it is full. */
export function bucket({ requests, seconds }: LimitOptions): Counted {
  const perMs = requests / (seconds * SECOND);
  let tokens = requests;
  let atMs = 0;
  return (nowMs) => {
    tokens = Math.min(requests, tokens + (nowMs - atMs) * perMs);
    atMs = nowMs;
    const isTaken = tokens >= 1;
    if (isTaken) tokens -= 1;
    return { isTaken, left: Math.floor(tokens), resetMs: (requests - tokens) / perMs };
  };
}

/** A service with a limit. */
export interface Limited {
  readonly make: () => Counted;
  /** How long a request is on its way, and how long its answer takes after that; numbers from 0 to 1 may be drawn. */
  readonly goesMs: (draw: () => number) => number;
  readonly takesMs: (draw: () => number) => number;
  /** The Retry-After of a refusal; `told`: the time that the limit names. */
  readonly retryAfter?: string;
  /** Announces the limit, with the seconds rounded so. */
  readonly tells?: (seconds: number) => number;
}

/** A way there and back of about so many milliseconds. */
export function about(ms: number): Pick<Limited, "goesMs" | "takesMs"> {
  const takes = (draw: () => number): number => ms * (0.8 + 0.4 * draw());
  return { goesMs: takes, takesMs: takes };
}

/** Makes a service that answers 429 above its limit. */
export function limitedTo(limited: Limited, random: () => number): MakeService {
  const { make, goesMs, takesMs, retryAfter, tells } = limited;
  return (clock) => {
    const count = make();
    return async () => {
      await clock.sleep(goesMs(random));
      const { isTaken, left, resetMs } = count(clock.now());
      const quotas = tells === undefined ? [] : [{ left, resetMs: tells(resetMs / SECOND) * SECOND }];
      if (isTaken) return { ms: takesMs(random), quotas };
      const wait = retryAfter === "told" ? `${Math.ceil(resetMs / SECOND)}` : retryAfter;
      return { ms: 1, status: 429, quotas, ...(wait !== undefined && { retryAfter: wait }) };
    };
  };
}
