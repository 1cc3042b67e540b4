import { performance } from "node:perf_hooks";

/** Time as the sender sees it, replaceable so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970; never goes back. */
  now(): number;
  /**
   * The machine's own time in milliseconds since 1970: it continues while the machine sleeps, and may be set back.
   */
  wallNow(): number;
  /** Resolves after `ms`, or as soon as the signal is set: the caller checks the signal. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  wallNow: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted || ms <= 0) {
        resolve();
        return;
      }
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener("abort", wake, { once: true });
    }),
};
