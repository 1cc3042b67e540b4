import type { Clock } from "../clock.ts";
import type { RateFinder } from "./rate-finder.ts";
import type { ToldLimit } from "./told-limit.ts";

/** Decides when a request may be sent: one instance is shared by all requests of a session. */
export interface Pace {
  /**
   * Resolves when the next request may be sent, or as soon as the signal is set: the caller checks the signal.
   * Returns the number of the turn.
   */
  turn(signal: AbortSignal): Promise<number>;
  /**
   * Holds all requests back for `ms` from now; returns by how many milliseconds that lengthens a pause already in
   * force.
   */
  pause(ms: number): number;
}

/**
 * If a timer fires late, at most this share of the gap is made up for, so that a busy machine still keeps the rate.
 */
const MOST_MADE_UP = 1 / 2;

/**
 * Requests are sent one by one in the order of asking, spaced evenly at `ratePerSecond` or at the rate that the
 * finder has found if that is lower, and within the limit that the service announces; nothing is made up after an
 * idle time or a pause.
 */
export function createPace(
  clock: Clock,
  ratePerSecond: number | undefined,
  finder?: RateFinder,
  told?: ToldLimit,
): Pace {
  let pausedUntil = 0;
  let nextSlot = 0;
  let last = Promise.resolve(0);

  const gapMs = (now: number): number =>
    Math.max(
      1000 / Math.min(ratePerSecond ?? Infinity, finder?.perSecond ?? Infinity),
      told?.gapMs(now) ?? 0,
    );

  async function takeSlot(signal: AbortSignal): Promise<number> {
    let hasWaited = false;
    for (;;) {
      if (signal.aborted) return 0;
      const now = clock.now();
      if (now < pausedUntil) {
        hasWaited = false;
        await clock.sleep(pausedUntil - now, signal);
      } else if ((told?.waitMs(now) ?? 0) > 0) {
        hasWaited = false;
        await clock.sleep(told!.waitMs(now), signal);
      } else if (now < nextSlot) {
        hasWaited = true;
        await clock.sleep(nextSlot - now, signal);
      } else {
        finder?.leaving(now, hasWaited);
        const gap = gapMs(now);
        nextSlot = (hasWaited ? Math.max(nextSlot, now - gap * MOST_MADE_UP) : now) + gap;
        return told?.leaving() ?? 0;
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
