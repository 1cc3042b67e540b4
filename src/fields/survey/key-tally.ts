/** More keys than this are not remembered; they fit into sixteen megabytes. */
const MAX_COUNTED_KEYS = 1_000_000;

const FIRST_SLOTS = 1024;
const TWO_TO_32 = 2 ** 32;
/** A number holds 53 bits exactly. */
const HIGH_BITS = 0x1fffff;

/**
 * Counts repeated keys in bounded memory: keys are remembered as hashes of 53 bits, so that in one of some ten thousand
 * full files the count is one too high, and it is never too low.
 */
export class KeyTally {
  /** Number of added keys that equal an earlier one. */
  repeated = 0;
  /** True once a key could not be compared with all earlier ones, so that `repeated` is a lower bound. */
  isBounded = false;
  #remembered = 0;
  /** Hashes with open addressing, at most half full. 0 is a free slot. */
  #slots = new Float64Array(FIRST_SLOTS);
  readonly #limit: number;

  constructor(limit = MAX_COUNTED_KEYS) {
    this.#limit = limit;
  }

  add(key: string): void {
    const bytes = Buffer.from(key);
    this.addBytes(bytes, 0, bytes.length);
  }

  /** Adds the key that these bytes of UTF-8 are. */
  addBytes(bytes: Buffer, start: number, end: number): void {
    const hash = hashOf(bytes, start, end);
    const slot = find(this.#slots, hash);
    if (this.#slots[slot] !== 0) this.repeated++;
    else if (this.#remembered >= this.#limit) this.isBounded = true;
    else {
      this.#slots[slot] = hash;
      this.#remembered++;
      if (this.#remembered * 2 > this.#slots.length) this.#makeRoom();
    }
  }

  #makeRoom(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    for (const hash of before) if (hash !== 0) this.#slots[find(this.#slots, hash)] = hash;
  }
}

/** A whole number that is not 0. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let high = 0xdeadbeef | 0;
  let low = 0x41c6ce57;
  for (let at = start; at < end; at++) {
    const code = bytes[at]!;
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = mix(high ^ Math.imul(low, 0x85ebca6b));
  low = mix(low ^ Math.imul(high, 0xc2b2ae35));
  return (high & HIGH_BITS) * TWO_TO_32 + low || 1;
}

// The finishing steps of MurmurHash3, so that every bit of the input moves every bit of the hash.
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function find(slots: Float64Array, hash: number): number {
  const mask = slots.length - 1;
  let slot = hash & mask;
  while (slots[slot] !== 0 && slots[slot] !== hash) slot = (slot + 1) & mask;
  return slot;
}
