const FIRST_SLOTS = 64;
/** So many shapes are known at most; they take five megabytes. */
const MOST_SHAPES = 16_384;
/** No longer cell is learnt. */
const LONGEST = 64;
const PRIME = 0x01000193;
const ZERO = 0x30;
const NINE = 0x39;
const FIRST_BEYOND_ASCII = 0x80;

/**
 * For each shape: its hash, the kind of its cells, their length in bytes, the number that was learnt, and where its words
 * are.
 */
const FACTS = 5;
const WORD_BYTES = 4;
/** The bits of a word that count where digits are alike: all digits become one. */
const WITHOUT_DIGITS = 0xf0f0f0f0 | 0;
/**
 * For each word: the bits that all cells share, the mask of these bits, the bytes that are digits, and the bytes that are
 * not zero.
 */
const MASKS = 4;

/**
 * The answers of careful readers on cells, by shape. Where digits are alike, cells that differ only in digits have one
 * shape, unless a number in one of them begins with a zero. Elsewhere each text is a shape of its own.
 */
export class ShapeTable {
  /** Open addressing: numbers of shapes; 0 is free. */
  #slots = new Int32Array(FIRST_SLOTS);
  /** From shape 1 on. */
  #facts = new Int32Array(FIRST_SLOTS * FACTS);
  #count = 1;
  #masks = new Int32Array(FIRST_SLOTS * MASKS);
  #masksEnd = 0;
  /** The bytes of the last search. */
  #given: Buffer = Buffer.alloc(0);
  #words = viewOf(this.#given);

  /** The shape of a cell; 0 if it is not known. `kind`: a number for cells that are read in one way. */
  find(kind: number, areDigitsAlike: boolean, bytes: Buffer, start: number, end: number): number {
    const hash = hashOf(kind, areDigitsAlike, this.#wordsOf(bytes), start, end);
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const shape = slots[slot]!;
      if (shape === 0) return 0;
      const at = shape * FACTS;
      if (this.#facts[at] !== hash || this.#facts[at + 1] !== kind) continue;
      if (this.isOf(shape, bytes, start, end)) return shape;
    }
  }

  /** True if a cell is of this shape, given that it is of its kind. */
  isOf(shape: number, bytes: Buffer, start: number, end: number): boolean {
    const facts = this.#facts;
    const at = shape * FACTS;
    if (facts[at + 2] !== end - start) return false;
    const words = this.#wordsOf(bytes);
    const masks = this.#masks;
    let from = facts[at + 4]!;
    if (end - start < WORD_BYTES) return isLike(masks, from, shortWord(words, start, end));
    const last = end - WORD_BYTES;
    for (let word = start; word < last; word += WORD_BYTES, from += MASKS)
      if (!isLike(masks, from, words.getInt32(word, true))) return false;
    return isLike(masks, from, words.getInt32(last, true));
  }

  /** The number that was learnt for a shape. */
  learnt(shape: number): number {
    return this.#facts[shape * FACTS + 3]!;
  }

  /** Learns a number for cells like one whose shape is not known; false if it is too long, or there is no room. */
  learn(kind: number, areDigitsAlike: boolean, text: string, learnt: number): boolean {
    const bytes = Buffer.from(text);
    const { length } = bytes;
    const shape = this.#count;
    if (length > LONGEST || shape === MOST_SHAPES) return false;
    const at = shape * FACTS;
    if (at + FACTS > this.#facts.length) this.#facts = doubled(this.#facts);
    const hash = hashOf(kind, areDigitsAlike, viewOf(bytes), 0, length);
    this.#facts.set([hash, kind, length, learnt, this.#masksEnd], at);
    const last = Math.max(0, length - WORD_BYTES);
    for (let word = 0; word < last; word += WORD_BYTES) this.#addMasks(bytes, word, areDigitsAlike);
    this.#addMasks(bytes, last, areDigitsAlike);
    this.#count += 1;
    if (2 * shape > this.#slots.length) {
      this.#slots = new Int32Array(2 * this.#slots.length);
      for (let before = 1; before < shape; before++) this.#place(before);
    }
    this.#place(shape);
    return true;
  }

  /** Adds the masks of the word that begins at a byte. */
  #addMasks(bytes: Buffer, word: number, areDigitsAlike: boolean): void {
    if (this.#masksEnd + MASKS > this.#masks.length) this.#masks = doubled(this.#masks);
    for (let at = word; at < Math.min(word + WORD_BYTES, bytes.length); at++) {
      const byte = bytes[at]!;
      const isInside = at > 0 && isDigit(bytes[at - 1]!);
      const isAlike = areDigitsAlike && isDigit(byte) && (isInside || byte !== ZERO);
      const shared = isAlike ? 0xf0 : 0xff;
      const masks = [shared, byte & shared, isAlike ? 0xf0 : 0, isAlike && !isInside ? 0x10 : 0];
      for (const [mask, bits] of masks.entries())
        this.#masks[this.#masksEnd + mask]! |= bits << (8 * (at - word));
    }
    this.#masksEnd += MASKS;
  }

  #place(shape: number): void {
    const slots = this.#slots;
    let slot = this.#facts[shape * FACTS]! & (slots.length - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = shape;
  }

  #wordsOf(bytes: Buffer): DataView {
    if (bytes !== this.#given) {
      this.#given = bytes;
      this.#words = viewOf(bytes);
    }
    return this.#words;
  }
}

/** True if four bytes at once are like the ones that were learnt: adding 6 to a digit does not reach the next ten. */
function isLike(masks: Int32Array, at: number, word: number): boolean {
  if ((word & masks[at]!) !== masks[at + 1]!) return false;
  const digits = masks[at + 2]!;
  if (digits === 0) return true;
  const notZero = masks[at + 3]!;
  return (
    (((word & 0x7f7f7f7f) + 0x06060606) & digits) === (0x30303030 & digits) &&
    (((word & 0x0f0f0f0f) + 0x0f0f0f0f) & notZero) === notZero
  );
}

/** Fewer than four bytes as a word. */
function shortWord(words: DataView, start: number, end: number): number {
  let word = 0;
  for (let at = start; at < end; at++) word |= words.getUint8(at) << (8 * (at - start));
  return word;
}

/** A hash of bytes, four at a time; the last four may overlap those before. */
function hashOf(kind: number, areDigitsAlike: boolean, words: DataView, start: number, end: number): number {
  const mask = areDigitsAlike ? WITHOUT_DIGITS : -1;
  let hash = Math.imul(kind ^ ((end - start) << 16), PRIME);
  if (end - start < WORD_BYTES)
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (words.getUint8(at) & mask), PRIME);
  else {
    const last = end - WORD_BYTES;
    for (let at = start; at < last; at += WORD_BYTES)
      hash = Math.imul(hash ^ (words.getInt32(at, true) & mask), PRIME);
    hash = Math.imul(hash ^ (words.getInt32(last, true) & mask), PRIME);
  }
  return hash ^ (hash >>> 15);
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function doubled(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}

/** Texts of the same shape, whose digits are as different as possible. */
export function textsAlike(text: string): readonly string[] {
  return ["10", "19", "90", "99"].map((others) =>
    text.replaceAll(/\d+/g, (number) => {
      const first = number.startsWith("0") ? "0" : others[0]!;
      return first + others[1]!.repeat(number.length - 1);
    }),
  );
}

/** The digits of a cell as a whole number, which is exact up to fifteen. */
export function digitsOf(bytes: Buffer, start: number, end: number): number {
  let digits = 0;
  for (let at = start; at < end; at++) {
    const code = bytes[at]!;
    if (isDigit(code)) digits = digits * 10 + code - ZERO;
  }
  return digits;
}

/** True for ASCII digits. */
export function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** True for a byte of ASCII with which no space begins. */
export function isVisibleAscii(code: number): boolean {
  return code > 0x20 && code < FIRST_BEYOND_ASCII;
}
