/** The elements that are open, by a code of each name: only those that were opened last are closed. */
export class XmlNesting {
  /** How many are open. */
  depth = 0;
  /** True once the outermost element was opened. */
  hasRoot = false;
  #codes = new Int32Array(64);

  open(code: number): void {
    if (this.depth === this.#codes.length) {
      const longer = new Int32Array(2 * this.depth);
      longer.set(this.#codes);
      this.#codes = longer;
    }
    this.#codes[this.depth++] = code;
    this.hasRoot = true;
  }

  /** False if the element that was opened last has another name. */
  close(code: number): boolean {
    return this.depth > 0 && this.#codes[--this.depth] === code;
  }
}
