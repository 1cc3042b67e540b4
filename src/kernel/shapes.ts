const FIRST_SLOTS = 64;
/** So many shapes are known at most; they take two megabytes. */
const MOST_SHAPES = 16_384;
/** No longer cell is learnt. */
const LONGEST = 64;
const PRIME = 0x01000193;
const ZERO = 0x30;
const NINE = 0x39;
const FIRST_BEYOND_ASCII = 0x80;

/** Of each shape: its hash, the kind of its cells, where its bytes end, and what was learnt. */
const FACTS = 4;
const WORD_BYTES = 4;
/** What is left of a word where digits are alike: all digits become one. */
const WITHOUT_DIGITS = 0xf0f0f0f0 | 0;
/** In the place of digits that are alike, as no byte of UTF-8: any digit; any but zero. */
const ANY_DIGIT = 0xf8;
const NOT_ZERO = 0xf9;

/**
 * What careful readers said about cells, by the shapes of these. Where digits are alike, cells have one shape that differ
 * only in digits, though not in whether a number in them begins with a zero; elsewhere each text is a shape of its own.
 */
export class ShapeTable {
  /** Open addressing: numbers of shapes; 0 is free. */
  #slots = new Int32Array(FIRST_SLOTS);
  /** From shape 1 on. */
  #facts = new Int32Array(FIRST_SLOTS * FACTS);
  #count = 1;
  #bytes: Buffer = Buffer.alloc(FIRST_SLOTS * FACTS);
  /** The bytes in which a cell was looked for last. */
  #given: Buffer = this.#bytes;
  #words = viewOf(this.#bytes);

  /** The shape of a cell; 0 if it is not known. `kind`: a number for cells that are read in one way. */
  find(kind: number, areDigitsAlike: boolean, bytes: Buffer, start: number, end: number): number {
    if (bytes !== this.#given) {
      this.#given = bytes;
      this.#words = viewOf(bytes);
    }
    const hash = hashOf(kind, areDigitsAlike, this.#words, start, end);
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
    const known = this.#bytes;
    let from = this.#facts[shape * FACTS - 2]!;
    if (this.#facts[shape * FACTS + 2]! - from !== end - start) return false;
    for (let at = start; at < end; at++, from++) {
      const sought = known[from]!;
      const byte = bytes[at]!;
      if (sought < ANY_DIGIT ? byte !== sought : !isDigit(byte) || (sought === NOT_ZERO && byte === ZERO))
        return false;
    }
    return true;
  }

  /** What was learnt of a shape. */
  learnt(shape: number): number {
    return this.#facts[shape * FACTS + 3]!;
  }

  /** Learns a number for cells like one whose shape is not known; false if it is too long, or there is no room. */
  learn(kind: number, areDigitsAlike: boolean, text: string, learnt: number): boolean {
    const bytes = Buffer.from(text);
    const shape = this.#count;
    if (bytes.length > LONGEST || shape === MOST_SHAPES) return false;
    const at = shape * FACTS;
    const from = this.#facts[at - 2]!;
    const end = from + bytes.length;
    if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes]);
    (areDigitsAlike ? withoutDigits(bytes) : bytes).copy(this.#bytes, from);
    if (at + FACTS > this.#facts.length) this.#facts = doubled(this.#facts);
    this.#facts.set([hashOf(kind, areDigitsAlike, viewOf(bytes), 0, bytes.length), kind, end, learnt], at);
    this.#count += 1;
    if (2 * shape > this.#slots.length) {
      this.#slots = new Int32Array(2 * this.#slots.length);
      for (let before = 1; before < shape; before++) this.#place(before);
    }
    this.#place(shape);
    return true;
  }

  #place(shape: number): void {
    const slots = this.#slots;
    let slot = this.#facts[shape * FACTS]! & (slots.length - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = shape;
  }
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

function withoutDigits(bytes: Buffer): Buffer {
  return Buffer.from(
    bytes.map((byte, at) => {
      if (!isDigit(byte)) return byte;
      const isInside = at > 0 && isDigit(bytes[at - 1]!);
      return isInside ? ANY_DIGIT : byte === ZERO ? ZERO : NOT_ZERO;
    }),
  );
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function doubled(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}

/** Texts of the shape of another one, whose digits are as different as may be. */
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
export function isVisible(code: number): boolean {
  return code > 0x20 && code < FIRST_BEYOND_ASCII;
}
