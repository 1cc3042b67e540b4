/** More keys than this are not remembered; they fit into sixteen megabytes. */
const MAX_COUNTED_KEYS = 1_000_000;

const FIRST_SLOTS = 1024;

/**
 * Counts repeated keys in bounded memory: keys are remembered as 64-bit hashes, so that in one of some hundred thousand
 * full files the count is one too high, and it is never too low.
 */
export class KeyTally {
  #repeated = 0;
  #remembered = 0;
  #isBounded = false;
  /** Hashes as pairs of 32 bits, with open addressing. A pair of zeros is a free slot. */
  #slots = new Uint32Array(FIRST_SLOTS * 2);
  /** The hash of the key that was added last. */
  #high = 0;
  #low = 0;
  readonly #limit: number;

  constructor(limit = MAX_COUNTED_KEYS) {
    this.#limit = limit;
  }

  /** Number of added keys that equal an earlier one. */
  get repeated(): number {
    return this.#repeated;
  }

  /** True once a key could not be compared with all earlier ones, so that `repeated` is a lower bound. */
  get isBounded(): boolean {
    return this.#isBounded;
  }

  add(key: string): void {
    const bytes = Buffer.from(key);
    this.addBytes(bytes, 0, bytes.length);
  }

  /** Adds the key that these bytes of UTF-8 are. */
  addBytes(bytes: Buffer, start: number, end: number): void {
    this.#hash(bytes, start, end);
    this.#lookUp();
  }

  #lookUp(): void {
    const slot = find(this.#slots, this.#high, this.#low);
    if (this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0) {
      this.#repeated++;
    } else if (this.#remembered >= this.#limit) {
      this.#isBounded = true;
    } else {
      this.#slots[slot] = this.#high;
      this.#slots[slot + 1] = this.#low;
      this.#remembered++;
      if (this.#remembered * 4 > this.#slots.length) this.#makeRoom();
    }
  }

  #hash(bytes: Buffer, start: number, end: number): void {
    let high = 0xdeadbeef | 0;
    let low = 0x41c6ce57;
    for (let at = start; at < end; at++) {
      const code = bytes[at]!;
      high = Math.imul(high ^ code, 0x9e3779b1);
      low = Math.imul(low ^ code, 0x5f356495);
    }
    high = mix(high ^ Math.imul(low, 0x85ebca6b));
    low = mix(low ^ Math.imul(high, 0xc2b2ae35));
    this.#high = high;
    // The pair of zeros means "free".
    this.#low = high === 0 && low === 0 ? 1 : low;
  }

  // At most half of the slots are used, so that a search ends after a few steps.
  #makeRoom(): void {
    const from = this.#slots;
    const slots = new Uint32Array(from.length * 2);
    for (let at = 0; at < from.length; at += 2) {
      const high = from[at]!;
      const low = from[at + 1]!;
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
