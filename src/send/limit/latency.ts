/** The median of some times: a few very slow answers do not move it. */
export function median(times: readonly number[]): number {
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
export function queueLength(inFlight: number, nowMs: number, baseMs: number): number {
  if (nowMs <= baseMs * NOISE.factor || nowMs <= baseMs + NOISE.ms) return 0;
  return inFlight * (1 - baseMs / nowMs);
}

/** True where a time is shorter than the base by more than noise. */
export function isFaster(nowMs: number, baseMs: number): boolean {
  return nowMs * NOISE.factor < baseMs;
}
