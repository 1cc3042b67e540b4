const FIRST_SLOTS = 256;
const PRIME = 0x01000193;

/** What is known of the forms of rows, by the classes of their cells as bytes and a number of other facts. */
export class FormTable<T> {
  /** Open addressing: numbers of forms; 0 is free. */
  #slots = new Int32Array(FIRST_SLOTS);
  readonly #forms: {
    readonly hash: number;
    readonly cells: Buffer;
    readonly facts: number;
    readonly value: T;
  }[] = [];

  /** How many forms there are. */
  get size(): number {
    return this.#forms.length;
  }

  /** What is known of a form; `undefined` for one that was not added. */
  find(cells: Buffer, length: number, facts: number): T | undefined {
    const hash = hashOf(cells, length, facts);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const form = this.#forms[this.#slots[slot]! - 1]!;
      if (form.hash !== hash || form.facts !== facts || form.cells.length !== length) continue;
      let at = 0;
      while (at < length && cells[at] === form.cells[at]) at++;
      if (at === length) return form.value;
    }
    return undefined;
  }

  /** Adds a form that was not found. */
  add(cells: Buffer, length: number, facts: number, value: T): void {
    const hash = hashOf(cells, length, facts);
    this.#forms.push({ hash, cells: Buffer.from(cells.subarray(0, length)), facts, value });
    if (2 * this.#forms.length < this.#slots.length) {
      this.#place(this.#forms.length);
      return;
    }
    this.#slots = new Int32Array(2 * this.#slots.length);
    for (let form = 1; form <= this.#forms.length; form++) this.#place(form);
  }

  #place(form: number): void {
    const mask = this.#slots.length - 1;
    let slot = this.#forms[form - 1]!.hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = form;
  }
}

function hashOf(cells: Buffer, length: number, facts: number): number {
  let hash = facts;
  for (let at = 0; at < length; at++) hash = Math.imul(hash ^ cells[at]!, PRIME);
  return hash ^ (hash >>> 15);
}
