const NONE = -1;

/**
 * Counts prints: an open-addressed table of 96-bit prints, each in a slot with the numbers that its users keep by slot. Its
 * size is fixed: at most half of the slots are taken.
 */
export class PrintTable {
  /** One more than the largest slot. */
  readonly slots: number;
  readonly #mask: number;
  readonly #words: Int32Array;
  readonly #isTaken: Uint8Array;

  constructor(prints: number) {
    this.slots = 2 ** Math.ceil(Math.log2(Math.max(prints, 8) * 2));
    this.#mask = this.slots - 1;
    this.#words = new Int32Array(this.slots * 3);
    this.#isTaken = new Uint8Array(this.slots);
  }

  /** The slot of the print at `at`, which it gets if it has none. */
  add(bytes: Buffer, at: number): number {
    return this.#find(bytes, at, true);
  }

  /** The slot of the print at `at`; negative if it has none. */
  find(bytes: Buffer, at: number): number {
    return this.#find(bytes, at, false);
  }

  #find(bytes: Buffer, at: number, isAdded: boolean): number {
    const first = bytes.readInt32LE(at);
    const second = bytes.readInt32LE(at + 4);
    const third = bytes.readInt32LE(at + 8);
    const words = this.#words;
    for (let slot = second & this.#mask; ; slot = (slot + 1) & this.#mask) {
      if (this.#isTaken[slot] === 0) {
        if (!isAdded) return NONE;
        this.#isTaken[slot] = 1;
        words[slot * 3] = first;
        words[slot * 3 + 1] = second;
        words[slot * 3 + 2] = third;
        return slot;
      }
      if (words[slot * 3] === first && words[slot * 3 + 1] === second && words[slot * 3 + 2] === third)
        return slot;
    }
  }
}

/** In which of some parts a print is: prints are dealt evenly. */
export function partOf(bytes: Buffer, at: number, parts: number): number {
  return parts === 1 ? 0 : bytes.readUInt32LE(at) % parts;
}
