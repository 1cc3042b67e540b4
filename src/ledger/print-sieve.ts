/** Bits set per print in the first map and in the second. */
const FIRST_BITS = 4;
const SECOND_BITS = 16;
const WORD_BITS = 5;

/**
 * Rules out quickly that most prints belong to a set: a ledger is much larger than an input, and most of what it
 * holds is in no input. The first map is small enough to stay in the processor's cache; only what passes it is looked
 * up in the second.
 */
export class PrintSieve {
  readonly #first: Uint32Array;
  readonly #second: Uint32Array;

  constructor(most: number) {
    this.#first = bitsFor(most * FIRST_BITS);
    this.#second = bitsFor(most * SECOND_BITS);
  }

  add(prints: DataView, at: number): void {
    setBit(this.#first, prints.getInt32(at + 8, true));
    setBit(this.#second, prints.getInt32(at + 4, true));
  }

  /** False only if the print was certainly not added. */
  mayHold(prints: DataView, at: number): boolean {
    return (
      hasBit(this.#first, prints.getInt32(at + 8, true)) &&
      hasBit(this.#second, prints.getInt32(at + 4, true))
    );
  }
}

/** At least this many bits, rounded up to a power of two. */
function bitsFor(least: number): Uint32Array {
  return new Uint32Array(2 ** Math.max(0, Math.ceil(Math.log2(least)) - WORD_BITS));
}

function setBit(bits: Uint32Array, of: number): void {
  bits[(of >>> WORD_BITS) & (bits.length - 1)]! |= 1 << (of & 31);
}

function hasBit(bits: Uint32Array, of: number): boolean {
  return (bits[(of >>> WORD_BITS) & (bits.length - 1)]! & (1 << (of & 31))) !== 0;
}
