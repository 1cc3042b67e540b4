import type { Notice } from "../../model/reading.ts";
import { quoteText } from "../../model/visible-text.ts";
import { KeyTally } from "./key-tally.ts";

/** Keys with letters that are compared with those after them: six megabytes hold them. */
const MAX_FOLDED_KEYS = 250_000;
const FIRST_SLOTS = 1024;
/** Two hashes of the folded key, one of the key itself, and its line. */
const SLOT = 4;

/** Digits have one case and one normal form. */
const HAS_FORMS = /[A-Za-z\u0080-\uffff]/;

/** Where hashes begin: two of the folded key, one of the key itself. */
const SEEDS = { high: 0xdeadbeef | 0, low: 0x41c6ce57, own: 0x811c9dc5 | 0 };

/** The first row whose key differs from an earlier one only in case or Unicode normal form. */
interface Variant {
  readonly key: string;
  readonly line: number;
  readonly firstLine: number;
}

/**
 * Counts repeated keys, and notices keys that differ only in case or Unicode normal form. A service may take those for one key,
 * and nobody sees the difference in a list. Their comparison ends with the 250,000th key that has letters.
 */
export class SurveyedKeys extends KeyTally {
  readonly #limit: number;
  // Open addressing; a slot whose line is 0 is free.
  #slots = new Uint32Array(FIRST_SLOTS * SLOT);
  #taken = 0;
  #first: Variant | undefined;
  #variants = 0;
  readonly #hashes: KeyHashes = { high: 0, low: 0, own: 0 };

  constructor(limit = MAX_FOLDED_KEYS) {
    super();
    this.#limit = limit;
  }

  /** A key of a row, in file order. */
  take(key: string, line: number): void {
    this.add(key);
    if (this.#taken < this.#limit && HAS_FORMS.test(key)) this.#compare(key, line);
  }

  get notices(): Notice[] {
    if (this.#first === undefined) return [];
    const { key, line, firstLine } = this.#first;
    const others = this.#variants === 1 ? "" : ` (${this.#variants} rows with such keys)`;
    const text = `the key ${quoteText(key)} in line ${line} differs from that in line ${firstLine} only in case or Unicode normal form${others}: they are sent as different keys`;
    return [{ text }];
  }

  #compare(key: string, line: number): void {
    const { high, low, own } = hashKey(key, this.#hashes);
    const slots = this.#slots;
    const at = find(slots, high, low);
    if (slots[at + 3] === 0) {
      slots[at] = high;
      slots[at + 1] = low;
      slots[at + 2] = own;
      slots[at + 3] = line;
      this.#taken++;
      if (this.#taken * 2 * SLOT > slots.length) this.#makeRoom();
    } else if (slots[at + 2] !== own) {
      this.#variants++;
      this.#first ??= { key, line, firstLine: slots[at + 3]! };
    }
  }

  #makeRoom(): void {
    const from = this.#slots;
    const slots = new Uint32Array(from.length * 2);
    for (let at = 0; at < from.length; at += SLOT) {
      if (from[at + 3] === 0) continue;
      const to = find(slots, from[at]!, from[at + 1]!);
      for (let word = 0; word < SLOT; word++) slots[to + word] = from[at + word]!;
    }
    this.#slots = slots;
  }
}

/** Two hashes of a folded key, and one of the key itself. */
interface KeyHashes {
  high: number;
  low: number;
  own: number;
}

/** Writes the hashes of a key into `into`; of one that is ASCII, in one pass and without making the folded text. */
function hashKey(key: string, into: KeyHashes): KeyHashes {
  let { high, low, own } = SEEDS;
  for (let index = 0; index < key.length; index++) {
    const code = key.charCodeAt(index);
    if (code > 0x7f) return hashForms(key, into);
    const folded = code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
    high = mix(high, folded);
    low = mix(low, folded);
    own = mix(own, code);
  }
  into.high = finish(high);
  into.low = finish(low);
  into.own = finish(own);
  return into;
}

function hashForms(key: string, into: KeyHashes): KeyHashes {
  const folded = key.normalize("NFC").toLowerCase().normalize("NFC");
  into.high = hash(folded, SEEDS.high);
  into.low = hash(folded, SEEDS.low);
  into.own = hash(key, SEEDS.own);
  return into;
}

function hash(text: string, seed: number): number {
  let mixed = seed;
  for (let index = 0; index < text.length; index++) mixed = mix(mixed, text.charCodeAt(index));
  return finish(mixed);
}

function mix(mixed: number, code: number): number {
  return Math.imul(mixed ^ code, 0x01000193) ^ (mixed >>> 15);
}

/** The finishing steps of MurmurHash3, so that every bit of the input moves every bit of the hash. */
function finish(mixed: number): number {
  let bits = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

function find(slots: Uint32Array, high: number, low: number): number {
  const mask = slots.length - 1;
  let at = (low * SLOT) & mask;
  while (slots[at + 3] !== 0 && (slots[at] !== high || slots[at + 1] !== low)) at = (at + SLOT) & mask;
  return at;
}
