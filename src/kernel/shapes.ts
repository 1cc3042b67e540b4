const FIRST_SLOTS = 256;
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
  /** The bytes of the cell from which each was learnt. */
  #bytes = Buffer.alloc(FIRST_SLOTS * FACTS);

  /** What was learnt of cells like this one; 0 if nothing was. `kind`: a number for cells that are read in one way. */
  find(kind: number, areDigitsAlike: boolean, bytes: Buffer, start: number, end: number): number {
    const hash = hashOf(kind, areDigitsAlike, bytes, start, end);
    const slots = this.#slots;
    const facts = this.#facts;
    const mask = slots.length - 1;
    let slot = placeOf(hash) & mask;
    for (;;) {
      const shape = slots[slot]!;
      if (shape === 0) return 0;
      const at = shape * FACTS;
      if (
        facts[at] === hash &&
        facts[at + 1] === kind &&
        this.#isAt(shape, areDigitsAlike, bytes, start, end)
      )
        return facts[at + 3]!;
      slot = (slot + 1) & mask;
    }
  }

  /** Learns a number, not 0, for cells like one of which nothing was learnt; false if it is too long, or there is no room. */
  learn(kind: number, areDigitsAlike: boolean, text: string, learnt: number): boolean {
    const bytes = Buffer.from(text);
    const shape = this.#count;
    if (bytes.length > LONGEST || shape === MOST_SHAPES) return false;
    const from = this.#facts[shape * FACTS - 2]!;
    const end = from + bytes.length;
    if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes]);
    bytes.copy(this.#bytes, from);
    const at = shape * FACTS;
    if (at + FACTS > this.#facts.length) {
      const facts = this.#facts;
      this.#facts = new Int32Array(2 * facts.length);
      this.#facts.set(facts);
    }
    this.#facts.set([hashOf(kind, areDigitsAlike, bytes, 0, bytes.length), kind, end, learnt], at);
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
    let slot = placeOf(this.#facts[shape * FACTS]!) & (slots.length - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = shape;
  }

  #isAt(shape: number, areDigitsAlike: boolean, bytes: Buffer, start: number, end: number): boolean {
    const known = this.#bytes;
    let from = this.#facts[shape * FACTS - 2]!;
    if (this.#facts[shape * FACTS + 2]! - from !== end - start) return false;
    for (let at = start; at < end; at++, from++) {
      const byte = bytes[at]!;
      const other = known[from]!;
      if (byte === other) continue;
      if (!areDigitsAlike || !isDigit(byte) || !isDigit(other)) return false;
      if ((byte === ZERO || other === ZERO) && (at === start || !isDigit(bytes[at - 1]!))) return false;
    }
    return true;
  }
}

/** Where digits are alike, the same for all cells of a shape: they count only where a number begins, and as zero or not. */
function hashOf(kind: number, areDigitsAlike: boolean, bytes: Buffer, start: number, end: number): number {
  let hash = kind ^ ((end - start) << 16);
  let isInNumber = false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (areDigitsAlike && isDigit(byte)) {
      if (!isInNumber && byte === ZERO) hash = Math.imul(hash ^ (at - start), PRIME);
      isInNumber = true;
    } else {
      isInNumber = false;
      hash = Math.imul(hash ^ (byte | ((at - start) << 8)), PRIME);
    }
  }
  return hash;
}

function placeOf(hash: number): number {
  return hash ^ (hash >>> 15);
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
