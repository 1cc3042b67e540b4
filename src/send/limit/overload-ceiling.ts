const FIRST_HOLD_MS = 30_000;
const MOST_HOLD_MS = 10 * 60_000;

/**
 * Remembers how many requests were in flight when the service said that it was overloaded: for a time, which doubles
 * with every overload, the most is one fewer. Overloads are not provoked, because each may put creates in doubt.
 */
export class OverloadCeiling {
  #most = Infinity;
  #untilMs = -Infinity;
  #holdMs = FIRST_HOLD_MS;

  get isKnown(): boolean {
    return this.#most !== Infinity;
  }

  hit(inFlight: number, nowMs: number): void {
    this.#most = Math.max(1, inFlight - 1);
    this.#untilMs = nowMs + this.#holdMs;
    this.#holdMs = Math.min(MOST_HOLD_MS, this.#holdMs * 2);
  }

  /** The most requests in flight now; once the time is over, it grows by one at a time. */
  at(nowMs: number): number {
    if (this.#most === Infinity) return this.#most;
    if (nowMs < this.#untilMs) return this.#most;
    this.#most += 1;
    this.#untilMs = nowMs + FIRST_HOLD_MS;
    return this.#most;
  }
}
