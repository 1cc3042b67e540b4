import type { Clock } from "./clock.ts";

/** When a request may leave: one instance is shared by all requests of a session. */
export interface Pace {
  /** Resolves when the next request may leave, or as soon as the signal is set: the caller looks at the signal. */
  turn(signal: AbortSignal): Promise<void>;
  /** Holds all requests back for `ms` from now; gives the milliseconds by which that lengthens a pause already on. */
  pause(ms: number): number;
}

/** Requests are spaced evenly at `ratePerSecond`; nothing is made up after an idle time. */
export function createPace(clock: Clock, ratePerSecond: number | undefined): Pace {
  const gapMs = ratePerSecond === undefined ? 0 : 1000 / ratePerSecond;
  let pausedUntil = 0;
  let nextSlot = 0;

  async function pauseIsOver(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && clock.now() < pausedUntil) await clock.sleep(pausedUntil - clock.now(), signal);
  }

  return {
    async turn(signal) {
      await pauseIsOver(signal);
      if (gapMs === 0 || signal.aborted) return;
      const slot = Math.max(clock.now(), nextSlot);
      nextSlot = slot + gapMs;
      while (!signal.aborted && clock.now() < slot) await clock.sleep(slot - clock.now(), signal);
      await pauseIsOver(signal);
    },
    pause(ms) {
      const now = clock.now();
      const added = Math.max(0, now + ms - Math.max(now, pausedUntil));
      pausedUntil = Math.max(pausedUntil, now + ms);
      return added;
    },
  };
}
