import type { Clock } from "../clock.ts";
import type { RateFinder } from "./rate-finder.ts";

/** When a request may leave: one instance is shared by all requests of a session. */
export interface Pace {
  /** Resolves when the next request may leave, or as soon as the signal is set: the caller looks at the signal. */
  turn(signal: AbortSignal): Promise<void>;
  /** Holds all requests back for `ms` from now; gives the milliseconds by which that lengthens a pause already on. */
  pause(ms: number): number;
}

/** A timer that fires late is made up for by no more than this share of the gap, so that the rate is kept by a busy machine. */
const MOST_MADE_UP = 1 / 2;

/**
 * Requests leave one by one in the order of asking, spaced evenly at `ratePerSecond` or at what the finder has found if
 * that is less; nothing is made up after an idle time or a pause.
 */
export function createPace(clock: Clock, ratePerSecond: number | undefined, finder?: RateFinder): Pace {
  let pausedUntil = 0;
  let nextSlot = 0;
  let last: Promise<void> = Promise.resolve();

  const gapMs = (): number => 1000 / Math.min(ratePerSecond ?? Infinity, finder?.perSecond ?? Infinity);

  async function takeSlot(signal: AbortSignal): Promise<void> {
    let hasWaited = false;
    for (;;) {
      if (signal.aborted) return;
      const now = clock.now();
      if (now < pausedUntil) {
        hasWaited = false;
        await clock.sleep(pausedUntil - now, signal);
      } else if (now < nextSlot) {
        hasWaited = true;
        await clock.sleep(nextSlot - now, signal);
      } else {
        finder?.leaving(now, hasWaited);
        const gap = gapMs();
        nextSlot = (hasWaited ? Math.max(nextSlot, now - gap * MOST_MADE_UP) : now) + gap;
        return;
      }
    }
  }

  return {
    turn(signal) {
      last = last.then(() => takeSlot(signal));
      return last;
    },
    pause(ms) {
      const now = clock.now();
      const added = Math.max(0, now + ms - Math.max(now, pausedUntil));
      pausedUntil = Math.max(pausedUntil, now + ms);
      return added;
    },
  };
}
