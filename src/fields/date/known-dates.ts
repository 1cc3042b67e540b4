const MINUS = 0x2d;
const SLASH = 0x2f;
const ZERO = 0x30;
/** The length of all these dates: `31/12/2024`, `2024-12-31`. */
export const DATE_BYTES = 10;
const EIGHT_DIGITS = 100_000_000;

/** The days of about ten years, in each of their forms. */
const MOST_KNOWN = 16_384;
const FIRST_SLOTS = 8;
/** One for all that remember nothing: there may be many columns without dates. */
const NO_SLOTS = new Int32Array(1);
const NO_TEXTS = Buffer.alloc(0);

/**
 * Dates of eight digits and two equal separators that were read before, each as a number, with its wire value if known.
 */
export class KnownDates {
  #count = 0;
  /** Open addressing: the number of a date plus one; 0 means free. */
  #slots = NO_SLOTS;
  /** The wire value of each slot, once there is one: surveys remember dates without. */
  #texts = NO_TEXTS;

  /**
   * A number for eight digits with two equal separators between them, 2, 2, 4 or 4, 2, 2; it is different for each way
   * of writing them. -1 for anything else.
   */
  codeOf(bytes: Buffer, start: number, end: number): number {
    if (end - start !== DATE_BYTES) return -1;
    const sign = bytes[start + 2]!;
    const isYearLast = sign < ZERO;
    const second = isYearLast ? start + 3 : start + 5;
    const third = isYearLast ? start + 6 : start + 8;
    const mark = bytes[second - 1]!;
    // - . / are neighbours.
    if (mark < MINUS || mark > SLASH || bytes[second + 2] !== mark || (isYearLast && sign !== mark))
      return -1;
    const year = pairAt(bytes, isYearLast ? start + 8 : start + 2);
    const digits =
      ((pairAt(bytes, start) * 100 + pairAt(bytes, second)) * 100 + pairAt(bytes, third)) * 100 + year;
    return digits >= 0 ? digits + EIGHT_DIGITS * (2 * (mark - MINUS) + (isYearLast ? 1 : 0)) : -1;
  }

  has(code: number): boolean {
    return this.#slots[this.#find(code)] !== 0;
  }

  /** Writes the wire value of a date; false if it is not known. */
  write(code: number, target: Buffer, at: number): boolean {
    const slot = this.#find(code);
    if (this.#slots[slot] === 0) return false;
    const from = slot * DATE_BYTES;
    const texts = this.#texts;
    for (let place = 0; place < DATE_BYTES; place++) target[at + place] = texts[from + place]!;
    return true;
  }

  /** Remembers a date, unless there are too many; `text`: its wire value. */
  add(code: number, text = ""): void {
    if (this.#count >= MOST_KNOWN) return;
    this.#count++;
    if (2 * this.#count > this.#slots.length) this.#grow();
    const slot = this.#find(code);
    this.#slots[slot] = code + 1;
    if (text === "") return;
    if (this.#texts.length === 0) this.#texts = Buffer.alloc(this.#slots.length * DATE_BYTES);
    this.#texts.write(text, slot * DATE_BYTES, DATE_BYTES, "latin1");
  }

  /** The slot of a date, or the one where it would go. */
  #find(code: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (Math.imul(code, 0x9e3779b1) >>> 15) & mask;
    while (slots[slot] !== 0 && slots[slot] !== code + 1) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [slots, texts] = [this.#slots, this.#texts];
    this.#slots = new Int32Array(Math.max(FIRST_SLOTS, 2 * slots.length));
    this.#texts = texts.length === 0 ? texts : Buffer.alloc(this.#slots.length * DATE_BYTES);
    for (const [slot, code] of slots.entries()) {
      if (code === 0) continue;
      const moved = this.#find(code - 1);
      this.#slots[moved] = code;
      if (texts.length > 0)
        texts.copy(this.#texts, moved * DATE_BYTES, slot * DATE_BYTES, (slot + 1) * DATE_BYTES);
    }
  }
}

/** The value of two digits; for anything else a number so negative that no sum with it is a date. */
export function pairAt(bytes: Buffer, at: number): number {
  const tens = bytes[at]! - ZERO;
  const ones = bytes[at + 1]! - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -EIGHT_DIGITS * 10;
}
