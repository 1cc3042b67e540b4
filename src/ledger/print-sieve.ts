const BITS_A_PRINT = 16;
const WORD_BITS = 5;

/**
 * Tells of most prints that they are not among some, by one bit of a small map: a ledger is much larger than an input, and
 * most of what it holds is in no input.
 */
export class PrintSieve {
  readonly #mask: number;
  readonly #bits: Uint32Array;

  constructor(most: number) {
    const bits = 2 ** Math.ceil(Math.log2(Math.max(most * BITS_A_PRINT, 1 << WORD_BITS)));
    this.#mask = bits - 1;
    this.#bits = new Uint32Array(bits >>> WORD_BITS);
  }

  add(bytes: Buffer, at: number): void {
    const bit = bytes.readInt32LE(at + 8) & this.#mask;
    this.#bits[bit >>> WORD_BITS]! |= 1 << (bit & 31);
  }

  /** False only if the print was not added. */
  mayHold(bytes: Buffer, at: number): boolean {
    const bit = bytes.readInt32LE(at + 8) & this.#mask;
    return (this.#bits[bit >>> WORD_BITS]! & (1 << (bit & 31))) !== 0;
  }
}
