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
const IS_ASCII = /^[ -~]*$/;

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
    const own = hash(key, 0x811c9dc5);
    const folded = fold(key);
    const high = hash(folded, 0xdeadbeef);
    const low = hash(folded, 0x41c6ce57);
    const slots = this.#slots;
    const at = find(slots, high, low);
    if (slots[at + 3] === 0) {
      slots.set([high, low, own, line], at);
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
      if (from[at + 3] !== 0) slots.set(from.subarray(at, at + SLOT), find(slots, from[at]!, from[at + 1]!));
    }
    this.#slots = slots;
  }
}

function fold(key: string): string {
  return IS_ASCII.test(key) ? key.toLowerCase() : key.normalize("NFC").toLowerCase().normalize("NFC");
}

function hash(text: string, seed: number): number {
  let mixed = seed;
  for (let index = 0; index < text.length; index++)
    mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193) ^ (mixed >>> 15);
  // The finishing steps of MurmurHash3, so that every bit of the input moves every bit of the hash.
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function find(slots: Uint32Array, high: number, low: number): number {
  const mask = slots.length - 1;
  let at = (low * SLOT) & mask;
  while (slots[at + 3] !== 0 && (slots[at] !== high || slots[at + 1] !== low)) at = (at + SLOT) & mask;
  return at;
}
