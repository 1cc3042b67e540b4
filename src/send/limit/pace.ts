import type { Clock } from "../clock.ts";
import type { RateFinder } from "./rate-finder.ts";
import type { ToldLimit } from "./told-limit.ts";

/** Decides when a request may be sent: one instance is shared by all requests of a session. */
export interface Pace {
  /**
   * Resolves when the next request may be sent, or as soon as the signal is set: then to false, and nothing may be
   * sent.
   */
  turn(signal: AbortSignal): Promise<boolean>;
  /**
   * Holds all requests back for `ms` from now; returns by how many milliseconds that lengthens a pause already in
   * force.
   */
  pause(ms: number): number;
  /** To be called when more is known about the limit that the service announces. */
  recheck(): void;
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
  /** When the latest request was to be sent: the next one follows after the gap. */
  let latest: number | undefined;
  let last = Promise.resolve(true);
  let wake = (): void => undefined;

  const gapMs = (sinceMs: number): number =>
    Math.max(
      1000 / Math.min(ratePerSecond ?? Infinity, finder?.perSecond ?? Infinity),
      told?.gapMs(sinceMs) ?? 0,
    );
  const nextSlot = (): number => (latest === undefined ? -Infinity : latest + gapMs(latest));

  /** Sleeps until then, or until something is known that may change it. */
  async function sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
    const nap = new AbortController();
    wake = () => nap.abort();
    signal.addEventListener("abort", wake, { once: true });
    await clock.sleep(ms - clock.now(), nap.signal);
    signal.removeEventListener("abort", wake);
  }

  async function takeSlot(signal: AbortSignal): Promise<boolean> {
    let hasWaited = false;
    for (;;) {
      if (signal.aborted) return false;
      const now = clock.now();
      const slot = nextSlot();
      const heldUntil = Math.max(pausedUntil, now + (told?.waitMs(now) ?? 0));
      if (now < heldUntil) {
        hasWaited = heldUntil <= slot;
        await sleepUntil(heldUntil, signal);
      } else if (now < slot) {
        hasWaited = true;
        await sleepUntil(slot, signal);
      } else {
        finder?.leaving(now, hasWaited);
        told?.leaving();
        latest = hasWaited ? Math.max(slot, now - gapMs(now) * MOST_MADE_UP) : now;
        return true;
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
    recheck() {
      wake();
    },
  };
}
