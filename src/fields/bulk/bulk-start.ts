/** From how many rows on they are handled many at a time, if a caller says nothing else. */
const FIRST_BULK_ROW = 1000;

/** Makes what handles many rows at a time once there are many, for which it is worth its while. */
export class BulkStart<Bulk extends { reset: () => void }> {
  readonly #from: number;
  readonly #make: () => Bulk | undefined;
  #rows = 0;
  #isMade = false;
  #bulk: Bulk | undefined;

  /** `make`: returns `undefined` if each row needs a closer look. */
  constructor(make: () => Bulk | undefined, from: number = FIRST_BULK_ROW) {
    this.#make = make;
    this.#from = from;
  }

  /** To be called with the number of the next rows. */
  forRows(rows: number): Bulk | undefined {
    this.#rows += rows;
    if (this.#rows < this.#from) return undefined;
    if (!this.#isMade) this.#bulk = this.#make();
    this.#isMade = true;
    this.#bulk?.reset();
    return this.#bulk;
  }

  /** To be called when the rows change in kind. */
  restart(): void {
    this.#rows = 0;
    this.#isMade = false;
    this.#bulk = undefined;
  }
}
