import type { Notice } from "../../model/reading.ts";
import { quoteText } from "../../model/visible-text.ts";
import { KeyTally } from "./key-tally.ts";

/** Keys with letters that are compared with those after them: eight megabytes hold them. */
const MAX_FOLDED_KEYS = 250_000;
const FIRST_SLOTS = 1024;
/** A hash of the folded key in two words, one of the key itself, and its line. */
const SLOT = 4;
const PAGE_SLOTS = 16_384;

/** The letters of a key: none, ASCII ones of one case, or others. */
const NO_LETTERS = 0;
const UPPER = 1;
const LOWER = 2;
const OTHERS = 3;

/** Keys of several rows in file order, with what is known of each. */
export interface HashedKeys {
  readonly count: number;
  /** True if each is greater than the one before. */
  readonly areRising: boolean;
  /**
   * For each: its hash in two halves, that of the key in upper case, its letters (1: upper case, 2: lower case, both of
   * ASCII), its line, its row.
   */
  readonly numbers: Uint32Array;
  readonly text: (at: number) => string;
}

/** What is known of one of them. */
export const HASHED_NUMBERS = 7;

/** The first row whose key differs from an earlier one only in case or Unicode normal form. */
interface Variant {
  readonly key: string;
  readonly line: number;
  readonly firstLine: number;
}

/**
 * Counts repeated keys, and notices keys that differ only in case or Unicode normal form. A service may take those for one key,
 * and nobody sees the difference in a list. Their comparison ends with the 250,000th key that has letters.
 *
 * As long as the letters of all keys are ASCII and of one case, as in most exports, no two keys can differ in this way: they are
 * only noted, and looked up from the first other key on.
 */
export class SurveyedKeys extends KeyTally {
  readonly #limit: number;
  /** The letters of all keys so far that have any. */
  #letters = NO_LETTERS;
  /** The keys so far, as long as they are only noted. */
  #pages: Uint32Array[] = [];
  // Open addressing; a slot whose line is 0 is free.
  #slots = new Uint32Array(FIRST_SLOTS * SLOT);
  #used = 0;
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
    if (this.#taken >= this.#limit) return;
    const letters = lettersOf(key);
    if (letters === NO_LETTERS) return;
    this.#taken++;
    const own = this.low;
    if (letters !== UPPER) this.hash(fold(key));
    this.#fold(letters, own, line, key);
  }

  /** The keys of several rows, in file order. */
  takeAll(keys: HashedKeys): void {
    const { count, numbers, text } = keys;
    if (count === 0) return;
    const areRising = keys.areRising && !this.isLookingUp && this.mayRise(text(0), text(count - 1));
    for (let at = 0; at < count; at++) {
      const from = at * HASHED_NUMBERS;
      const line = numbers[from + 5]!;
      if (!areRising && !this.isLookingUp) {
        this.take(text(at), line);
        continue;
      }
      const own = numbers[from + 1]!;
      this.addHashed(numbers[from]!, own, areRising);
      const letters = numbers[from + 4]!;
      if (this.#taken >= this.#limit || letters === NO_LETTERS) continue;
      this.#taken++;
      this.high = numbers[from + 2]!;
      this.low = numbers[from + 3]!;
      this.#fold(letters, own, line, (this.#letters | letters) === OTHERS ? text(at) : "");
    }
  }

  get notices(): Notice[] {
    if (this.#first === undefined) return [];
    const { key, line, firstLine } = this.#first;
    const others = this.#variants === 1 ? "" : ` (${this.#variants} rows with such keys)`;
    const text = `the key ${quoteText(key)} in line ${line} differs from that in line ${firstLine} only in case or Unicode normal form${others}: they are sent as different keys`;
    return [{ text }];
  }

  /** Takes a key whose folded form was hashed last; `key` is needed once the letters of all are of several kinds. */
  #fold(letters: number, own: number, line: number, key: string): void {
    if ((this.#letters | letters) !== OTHERS) this.#note(own, line);
    else {
      if (this.#letters !== OTHERS) this.#lookUpFromNowOn();
      this.#compare(key, own, line);
    }
    this.#letters |= letters;
  }

  /** Notes the key whose folded form was hashed last. */
  #note(own: number, line: number): void {
    const at = ((this.#taken - 1) % PAGE_SLOTS) * SLOT;
    if (at === 0) this.#pages.push(new Uint32Array(PAGE_SLOTS * SLOT));
    this.#put(this.#pages.at(-1)!, at, own, line);
  }

  #lookUpFromNowOn(): void {
    let slots = this.#slots.length;
    while (this.#taken * 2 * SLOT > slots) slots *= 2;
    this.#makeRoom(slots, this.#pages);
    this.#pages = [];
  }

  #compare(key: string, own: number, line: number): void {
    const slots = this.#slots;
    const at = find(slots, this.high, this.low);
    if (slots[at + 3] === 0) {
      this.#put(slots, at, own, line);
      this.#used++;
      if (this.#used * 2 * SLOT > slots.length) this.#makeRoom(slots.length * 2, [slots]);
    } else if (slots[at + 2] !== own) {
      this.#variants++;
      this.#first ??= { key, line, firstLine: slots[at + 3]! };
    }
  }

  #put(slots: Uint32Array, at: number, own: number, line: number): void {
    slots[at] = this.high;
    slots[at + 1] = this.low;
    slots[at + 2] = own;
    slots[at + 3] = line;
  }

  /** Moves keys to larger slots; of equal ones the first stays. */
  #makeRoom(length: number, from: readonly Uint32Array[]): void {
    const slots = new Uint32Array(length);
    this.#used = 0;
    for (const page of from) {
      for (let at = 0; at < page.length; at += SLOT) {
        if (page[at + 3] === 0) continue;
        const to = find(slots, page[at]!, page[at + 1]!);
        if (slots[to + 3] !== 0) continue;
        for (let word = 0; word < SLOT; word++) slots[to + word] = page[at + word]!;
        this.#used++;
      }
    }
    this.#slots = slots;
  }
}

function lettersOf(key: string): number {
  let letters = NO_LETTERS;
  for (let index = 0; index < key.length; index++) {
    const code = key.charCodeAt(index);
    if (code > 0x7f) return OTHERS;
    if (code >= 0x41 && code <= 0x5a) letters |= UPPER;
    else if (code >= 0x61 && code <= 0x7a) letters |= LOWER;
  }
  return letters;
}

/** Keys that differ only in case or normal form have one folded form; a key in upper-case ASCII is its own. */
function fold(key: string): string {
  const folded = key.normalize("NFC").toLowerCase().normalize("NFC");
  return folded.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function find(slots: Uint32Array, high: number, low: number): number {
  const mask = slots.length - 1;
  let at = (low * SLOT) & mask;
  while (slots[at + 3] !== 0 && (slots[at] !== high || slots[at + 1] !== low)) at = (at + SLOT) & mask;
  return at;
}
