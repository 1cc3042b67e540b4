import type { LimitOptions } from "../../../src/sandbox/context.ts";
import type { MakeService } from "./simulate.ts";

export const SECOND = 1000;

/** How a service counts: whether it takes a request that arrives now, what is left after it, and when there are more. */
export type Counted = (nowMs: number) => {
  readonly isTaken: boolean;
  readonly left: number;
  readonly resetMs: number;
};

/** Windows that begin at whole multiples of their length, `offsetMs` later. */
export function windows({ requests, seconds }: LimitOptions, offsetMs: number): Counted {
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

interface Telling {
  readonly makeCounted: () => Counted;
  readonly round: (seconds: number) => number;
  readonly wayMs: number;
}

/** Tells limit and rule; each request takes `wayMs` there and as long back, more or less. */
export function tellingAll({ makeCounted, round, wayMs }: Telling, random: () => number): MakeService {
  return (clock) => {
    const counted = makeCounted();
    const wayTakes = (): number => wayMs * (0.8 + 0.4 * random());
    return async () => {
      await clock.sleep(wayTakes());
      const { isTaken, left, resetMs } = counted(clock.now());
      const quotas = [{ left, resetMs: round(resetMs / SECOND) * SECOND }];
      const retryAfter = `${Math.ceil(resetMs / SECOND)}`;
      return isTaken ? { ms: wayTakes(), quotas } : { ms: wayTakes(), status: 429, retryAfter, quotas };
    };
  };
}
