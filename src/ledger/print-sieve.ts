/** Bits for each print in the map that is looked at first, and in the second. */
const FIRST_BITS = 4;
const SECOND_BITS = 16;
const WORD_BITS = 5;

/**
 * Tells of most prints that they are not among some: a ledger is much larger than an input, and most of what it holds is
 * in no input. The first map is so small that it stays in the processor's cache, and what it lets through meets the second.
 */
export class PrintSieve {
  readonly #first: Uint32Array;
  readonly #second: Uint32Array;

  constructor(most: number) {
    this.#first = bitsFor(most * FIRST_BITS);
    this.#second = bitsFor(most * SECOND_BITS);
  }

  add(bytes: Buffer, at: number): void {
    setBit(this.#first, bytes.readInt32LE(at + 8));
    setBit(this.#second, bytes.readInt32LE(at + 4));
  }

  /** False only if the print was not added. */
  mayHold(bytes: Buffer, at: number): boolean {
    return hasBit(this.#first, bytes.readInt32LE(at + 8)) && hasBit(this.#second, bytes.readInt32LE(at + 4));
  }
}

/** At least so many bits, a power of two. */
function bitsFor(least: number): Uint32Array {
  return new Uint32Array(2 ** Math.max(0, Math.ceil(Math.log2(least)) - WORD_BITS));
}

function setBit(bits: Uint32Array, of: number): void {
  bits[(of >>> WORD_BITS) & (bits.length - 1)]! |= 1 << (of & 31);
}

function hasBit(bits: Uint32Array, of: number): boolean {
  return (bits[(of >>> WORD_BITS) & (bits.length - 1)]! & (1 << (of & 31))) !== 0;
}
