import type { Clock } from "../../../src/send/settings.ts";

/** A clock on which waits take no time, and which records them. */
export interface FastClock extends Clock {
  readonly slept: number[];
}

export function createFastClock(startMs = Date.UTC(2024, 0, 1)): FastClock {
  const slept: number[] = [];
  let nowMs = startMs;
  return {
    slept,
    now: () => nowMs,
    sleep: async (ms, signal) => {
      if (signal.aborted) return;
      slept.push(ms);
      nowMs += ms;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    },
  };
}
