/** The period whose speed counts, so that a pause or a slow beginning is soon forgotten. */
const WINDOW_MS = 15_000;
const MS_BETWEEN_MARKS = 500;

/** How fast a growing number has grown lately. */
export class RateWindow {
  #marks: { readonly value: number; readonly atMs: number }[] = [];
  #value = 0;
  #sinceMs: number | undefined;

  /** Starts again with another number. */
  restart(): void {
    this.#marks = [];
    this.#sinceMs = undefined;
  }

  add(value: number, nowMs: number): void {
    this.#value = value;
    this.#sinceMs ??= nowMs;
    const last = this.#marks.at(-1);
    if (last !== undefined && nowMs - last.atMs < MS_BETWEEN_MARKS) return;
    this.#marks.push({ value, atMs: nowMs });
    while (this.#marks.length > 2 && nowMs - this.#marks[0]!.atMs > WINDOW_MS) this.#marks.shift();
  }

  /** `undefined` until half a second has been measured. */
  perSecond(nowMs: number): number | undefined {
    const first = this.#marks[0];
    if (first === undefined || nowMs - first.atMs < MS_BETWEEN_MARKS) return undefined;
    return ((this.#value - first.value) * 1000) / (nowMs - first.atMs);
  }

  /** For how long it has been counting. */
  forMs(nowMs: number): number {
    return this.#sinceMs === undefined ? 0 : nowMs - this.#sinceMs;
  }
}
