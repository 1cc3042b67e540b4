import type { Clock } from "../../../src/send/settings.ts";

/** A clock that stops as long as there is work to do, and then jumps to the end of the next wait. */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #waits: { readonly atMs: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) {
        resolve();
        return;
      }
      const atMs = this.#nowMs + ms;
      const later = this.#waits.findIndex((wait) => wait.atMs > atMs);
      this.#waits.splice(later === -1 ? this.#waits.length : later, 0, { atMs, wake: resolve });
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Lets time pass until the promise is settled. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    settled.catch(() => undefined);
    for (;;) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      if (isSettled) return settled;
      const next = this.#waits.shift();
      if (next === undefined) throw new Error("nothing is left to wait for");
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.wake();
    }
  }
}
