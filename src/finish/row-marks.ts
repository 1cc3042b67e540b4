const PAGE_ROWS = 65_536;

/** A set of rows by number, in a bit each; stretches without any take no room. */
export class RowMarks {
  readonly #pages = new Map<number, Uint8Array>();

  add(row: number): void {
    const number = Math.floor(row / PAGE_ROWS);
    let page = this.#pages.get(number);
    if (page === undefined) this.#pages.set(number, (page = new Uint8Array(PAGE_ROWS / 8)));
    const at = row % PAGE_ROWS;
    page[at >>> 3]! |= 1 << (at & 7);
  }

  has(row: number): boolean {
    const at = row % PAGE_ROWS;
    return ((this.#pages.get(Math.floor(row / PAGE_ROWS))?.[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0;
  }
}
