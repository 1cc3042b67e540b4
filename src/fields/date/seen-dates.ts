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
function pairAt(bytes: Buffer, at: number): number {
  const tens = bytes[at]! - ZERO;
  const ones = bytes[at + 1]! - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -EIGHT_DIGITS * 10;
}

/** How a date of ten bytes stands in its cell; bits, as in `assembly/cells.ts`. */
export const DATE_FORMS = { other: 0, alone: 1, atMidnight: 2, timed: 4 } as const;
type DateForm = (typeof DATE_FORMS)[keyof typeof DATE_FORMS];

/** `T08:30:00`, or a space in place of the letter. */
const CLOCK_BYTES = 9;
const COLON = 0x3a;
const SPACE = 0x20;
const T = 0x54;

/** How the date of a cell stands in it: alone, or before a clock without a zone; `other` for anything else. */
export function dateFormOf(bytes: Buffer, start: number, end: number): DateForm {
  if (end - start === DATE_BYTES) return DATE_FORMS.alone;
  const at = start + DATE_BYTES;
  if (end - at !== CLOCK_BYTES || (bytes[at] !== T && bytes[at] !== SPACE)) return DATE_FORMS.other;
  if (bytes[at + 3] !== COLON || bytes[at + 6] !== COLON) return DATE_FORMS.other;
  const hour = pairAt(bytes, at + 1);
  const minute = pairAt(bytes, at + 4);
  const second = pairAt(bytes, at + 7);
  if (Math.min(hour, minute, second) < 0 || hour > 23 || minute > 59 || second > 59) return DATE_FORMS.other;
  return hour + minute + second === 0 ? DATE_FORMS.atMidnight : DATE_FORMS.timed;
}

/**
 * The dates of a column that came before: another cell with one of them in the same form is no new evidence. Any clock is like any
 * other once the first that is not midnight has come; midnight is like any of them.
 */
export class SeenDates {
  readonly #alone = new KnownDates();
  readonly #atMidnight = new KnownDates();
  readonly #timed = new KnownDates();

  /** True for a date that came before in its form. */
  has(code: number, form: DateForm): boolean {
    if (form === DATE_FORMS.alone) return this.#alone.has(code);
    return this.#timed.has(code) || (form === DATE_FORMS.atMidnight && this.#atMidnight.has(code));
  }

  /** Remembers a date whose cell was added. */
  add(code: number, form: DateForm): void {
    const { alone, atMidnight } = DATE_FORMS;
    const known = form === alone ? this.#alone : form === atMidnight ? this.#atMidnight : this.#timed;
    known.add(code);
  }

  /** A number for the date of a cell in one of the forms; -1 for anything else. */
  codeOf(bytes: Buffer, start: number, form: DateForm): number {
    return form === DATE_FORMS.other ? -1 : this.#alone.codeOf(bytes, start, start + DATE_BYTES);
  }
}
