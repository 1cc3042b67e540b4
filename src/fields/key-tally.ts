/** More keys than these are not remembered: sixteen megabytes hold them. */
const MAX_COUNTED_KEYS = 1_000_000;

const FIRST_SLOTS = 1024;

/**
 * Counts keys that stood before, in bounded memory: keys are remembered as 64-bit hashes, so that once in some hundred
 * thousand full files the count is one too high, and never too low.
 */
export class KeyTally {
  #repeated = 0;
  #remembered = 0;
  #isBounded = false;
  // Pairs of 32 bits, open addressing; a pair of zeros is a free slot.
  #slots = new Uint32Array(FIRST_SLOTS * 2);
  readonly #limit: number;

  constructor(limit = MAX_COUNTED_KEYS) {
    this.#limit = limit;
  }

  /** Keys added that equal an earlier one. */
  get repeated(): number {
    return this.#repeated;
  }

  /** True once a key was not remembered, so that `repeated` is a lower bound. */
  get isBounded(): boolean {
    return this.#isBounded;
  }

  add(key: string): void {
    let high = 0xdeadbeef;
    let low = 0x41c6ce57;
    for (let index = 0; index < key.length; index++) {
      const code = key.charCodeAt(index);
      high = Math.imul(high ^ code, 0x9e3779b1);
      low = Math.imul(low ^ code, 0x5f356495);
    }
    high = mix(high ^ Math.imul(low, 0x85ebca6b));
    low = mix(low ^ Math.imul(high, 0xc2b2ae35));
    // The pair of zeros means "free".
    if (high === 0 && low === 0) low = 1;
    const slot = find(this.#slots, high, low);
    if (this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0) {
      this.#repeated++;
    } else if (this.#remembered >= this.#limit) {
      this.#isBounded = true;
    } else {
      this.#slots[slot] = high;
      this.#slots[slot + 1] = low;
      this.#remembered++;
      if (this.#remembered * 4 > this.#slots.length) this.#grow();
    }
  }

  // At most half of the slots are taken, so that a search ends after a few steps.
  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    for (let from = 0; from < this.#slots.length; from += 2) {
      const high = this.#slots[from]!;
      const low = this.#slots[from + 1]!;
      if (high === 0 && low === 0) continue;
      const to = find(slots, high, low);
      slots[to] = high;
      slots[to + 1] = low;
    }
    this.#slots = slots;
  }
}

// The finishing steps of MurmurHash3, so that every bit of the input moves every bit of the hash.
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function find(slots: Uint32Array, high: number, low: number): number {
  const mask = slots.length - 1;
  let slot = (low * 2) & mask;
  while ((slots[slot] !== 0 || slots[slot + 1] !== 0) && (slots[slot] !== high || slots[slot + 1] !== low)) {
    slot = (slot + 2) & mask;
  }
  return slot;
}
