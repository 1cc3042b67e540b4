/** So many rows are passed over at most. */
const MOST_PASSED = 64;

/** Whether to try many rows at once: where one row after another needs a closer look, not each time. */
export class BulkTrials {
  #passed = 0;
  #left = 0;

  /** To be asked before each row at which many might be tried. */
  isDue(): boolean {
    if (this.#left === 0) return true;
    this.#left -= 1;
    return false;
  }

  /** Notes what a trial brought. */
  note(rows: number): void {
    this.#passed = rows > 0 ? 0 : Math.min(MOST_PASSED, 2 * this.#passed + 1);
    this.#left = Math.max(0, this.#passed - 1);
  }
}
