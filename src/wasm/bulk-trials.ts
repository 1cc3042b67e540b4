/** A trial that brings fewer rows takes as long as these one by one. */
const LEAST_ROWS = 16;
/** So many such trials in a row are no accident. */
const MOST_SHORT = 8;
/** So many rows are passed over at most before the next trial. */
const MOST_PASSED = 65_536;

/** Whether to try many rows at once: where few of them are plain, not at each row. */
export class BulkTrials {
  #short = 0;
  #passed = 0;
  #left = 0;

  /** To be asked before each row at which many might be tried. */
  isDue(): boolean {
    if (this.#left === 0) return true;
    this.#left -= 1;
    return false;
  }

  /** Notes how many rows a trial brought. */
  note(rows: number): void {
    this.#short = rows < LEAST_ROWS ? this.#short + 1 : 0;
    this.#passed = this.#short > MOST_SHORT ? Math.min(MOST_PASSED, 2 * this.#passed + 1) : 0;
    this.#left = this.#passed;
  }
}
