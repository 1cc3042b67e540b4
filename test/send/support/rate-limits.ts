/** True if a request that arrives at this time is within the limit. */
export type RateLimit = (nowMs: number) => boolean;

/** A bucket of `burst` requests that fills evenly. */
export function bucketLimit(perSecond: number, burst: number): RateLimit {
  let left = burst;
  let atMs = 0;
  return (nowMs) => {
    left = Math.min(burst, left + ((nowMs - atMs) / 1000) * perSecond);
    atMs = nowMs;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

/** This many requests in each second of the clock. */
export function windowLimit(perSecond: number): RateLimit {
  let second = -1;
  let count = 0;
  return (nowMs) => {
    const now = Math.floor(nowMs / 1000);
    if (now !== second) [second, count] = [now, 0];
    if (count >= perSecond) return false;
    count += 1;
    return true;
  };
}

/** This many requests within any second. */
export function slidingLimit(perSecond: number): RateLimit {
  const accepted: number[] = [];
  return (nowMs) => {
    while ((accepted[0] ?? Infinity) <= nowMs - 1000) accepted.shift();
    if (accepted.length >= perSecond) return false;
    accepted.push(nowMs);
    return true;
  };
}
