import type { TimelinePoint } from "./run-report.ts";

const MOST_STEPS = 120;
const FIRST_STEP_MS = 100;

/** What settled when, in equal steps of time; a longer run has longer steps, not more of them. */
export class Timeline {
  stepMs = FIRST_STEP_MS;
  #steps: { rows: number; batches: number; sumMs: number; longestMs: number }[] = [];

  /** Adds a batch that settled at a time since the first request. */
  add(atMs: number, rows: number, tookMs: number): void {
    while (atMs >= this.stepMs * MOST_STEPS) this.#halve();
    const at = Math.max(0, Math.floor(atMs / this.stepMs));
    while (this.#steps.length <= at) this.#steps.push({ rows: 0, batches: 0, sumMs: 0, longestMs: 0 });
    const step = this.#steps[at]!;
    step.rows += rows;
    step.batches += 1;
    step.sumMs += tookMs;
    step.longestMs = Math.max(step.longestMs, tookMs);
  }

  points(): readonly TimelinePoint[] {
    return this.#steps.map(({ rows, batches, sumMs, longestMs }, at) => ({
      atMs: at * this.stepMs,
      rows,
      batches,
      meanMs: batches === 0 ? null : Math.round(sumMs / batches),
      longestMs: batches === 0 ? null : Math.round(longestMs),
    }));
  }

  #halve(): void {
    this.stepMs *= 2;
    const pairs = this.#steps;
    this.#steps = [];
    for (let at = 0; at < pairs.length; at += 2) {
      const first = pairs[at]!;
      const second = pairs[at + 1] ?? { rows: 0, batches: 0, sumMs: 0, longestMs: 0 };
      this.#steps.push({
        rows: first.rows + second.rows,
        batches: first.batches + second.batches,
        sumMs: first.sumMs + second.sumMs,
        longestMs: Math.max(first.longestMs, second.longestMs),
      });
    }
  }
}
