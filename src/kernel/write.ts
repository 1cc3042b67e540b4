import { type CellSpans, ESCAPED, NO_TEXT } from "../model/rows.ts";
import {
  AS_IT_IS,
  CLOSER_LOOK,
  NOTHING,
  type PlainColumn,
  PlainRows,
  type PlainRules,
  REFUSED,
} from "./plain-rows.ts";
import { isDigit, textsAlike } from "./shapes.ts";

/** A column, and how its cells get into records. */
export interface WrittenColumn extends PlainColumn {
  /** The bytes before its value: in the first member of a record, and in a later one. */
  readonly first: Buffer;
  readonly next: Buffer;
  /** The wire value of a cell, by its careful reader; `undefined` if it has none. */
  readonly read: (text: string, isText: boolean) => string | undefined;
}

/** A JSON escape takes at most this many bytes for one byte. */
const MOST_ESCAPED = 6;
/** Wire values of learnt cells are that long at most. */
const MOST_VALUE = 64;
const FIRST_STEPS = 1024;
const WORD_BYTES = 4;
const ZERO = 0x30;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
/** A byte in each byte of a word. */
const [ONES, HIGHS] = [0x01010101, 0x80808080 | 0];

/** Writes the records of plain rows, from the bytes of their cells: those that `RowExaminer` finds. */
export class PlainWriter {
  /** Where the key of the last record is in the written bytes; equal without a key. */
  keyStart = 0;
  keyEnd = 0;
  readonly #rows: PlainRows;
  readonly #columns: readonly WrittenColumn[];
  /** By slot. */
  readonly #firsts: readonly Piece[];
  readonly #nexts: readonly Piece[];
  readonly #tail: Piece;
  /** The target and the source of the last write. */
  #target: Buffer = Buffer.alloc(0);
  #words = viewOf(this.#target);
  #source: Buffer = this.#target;
  #sourceWords = this.#words;
  readonly #fixedBytes: number;
  /** By shape: where its steps end in `#steps`. A step is the offset of a byte of the cell, or minus a byte. */
  #ends: number[] = [0];
  #steps = new Int16Array(FIRST_STEPS);
  /** By shape: the value of its cells, if it is one for all of them; then there are no steps. */
  readonly #values: (Piece | undefined)[] = [undefined];

  /** `tail`: what comes after the last value. */
  constructor(columns: readonly WrittenColumn[], rules: PlainRules, tail: Buffer) {
    this.#rows = new PlainRows(columns, rules);
    this.#columns = columns;
    this.#firsts = columns.map(({ first }) => pieceOf(first));
    this.#nexts = columns.map(({ next }) => pieceOf(next));
    this.#tail = pieceOf(tail);
    this.#fixedBytes = columns.reduce(
      (bytes, { next }) => bytes + next.length + MOST_VALUE,
      tail.length + WORD_BYTES,
    );
  }

  /** The kind of a row: see `plain-rows.ts`. To be asked before {@link write}. */
  look(spans: CellSpans, firstCell: number, width: number): number {
    for (;;) {
      const found = this.#rows.look(spans, firstCell, width);
      const { unknown } = this.#rows;
      if (found !== CLOSER_LOOK || unknown < 0) return found;
      if (!this.#learn(unknown, spans, firstCell + this.#columns[unknown]!.index)) return CLOSER_LOOK;
    }
  }

  /** Maximum number of bytes of the record for a row of `rowBytes` bytes. */
  mostBytes(rowBytes: number): number {
    return this.#fixedBytes + MOST_ESCAPED * rowBytes;
  }

  /** Writes the record of the last row of {@link look} at `at`; returns the position after it. */
  write(spans: CellSpans, firstCell: number, target: Buffer, at: number): number {
    const { bytes, starts, ends } = spans;
    const { given, keyCell } = this.#rows;
    const columns = this.#columns;
    const steps = this.#steps;
    if (target !== this.#target) {
      this.#target = target;
      this.#words = viewOf(target);
    }
    if (bytes !== this.#source) {
      this.#source = bytes;
      this.#sourceWords = viewOf(bytes);
    }
    const words = this.#words;
    let to = at;
    this.keyStart = at;
    this.keyEnd = at;
    for (let slot = 0; slot < columns.length; slot++) {
      const shape = given[slot]!;
      if (shape === NOTHING) continue;
      to = put(to === at ? this.#firsts[slot]! : this.#nexts[slot]!, words, to);
      const { index } = columns[slot]!;
      const cell = firstCell + index;
      const start = starts[cell]!;
      if (shape > 0) {
        const value = this.#values[shape];
        if (value !== undefined) {
          to = put(value, words, to);
          continue;
        }
        const last = this.#ends[shape]!;
        for (let step = this.#ends[shape - 1]!; step < last; step++) {
          const from = steps[step]!;
          target[to++] = from < 0 ? -from : bytes[start + from]!;
        }
      } else if (shape === AS_IT_IS) {
        const from = to;
        to = this.#copyText(spans, cell, start, ends[cell]!, to);
        if (cell !== keyCell) continue;
        this.keyStart = from;
        this.keyEnd = to;
      }
    }
    return put(this.#tail, words, to);
  }

  /** Learns how cells like this one are written; false if there is no room. */
  #learn(slot: number, spans: CellSpans, cell: number): boolean {
    const isText = (spans.marks[cell]! & NO_TEXT) === 0;
    const text = spans.text(cell);
    const steps = findSteps(this.#columns[slot]!, text, isText);
    const shape = steps === undefined ? REFUSED : this.#ends.length;
    if (!this.#rows.learn(slot, spans, cell, shape)) return false;
    if (steps === undefined) return true;
    const isOne = steps.every((step) => step < 0);
    this.#values.push(isOne ? pieceOf(Buffer.from(follow(steps, text))) : undefined);
    const before = this.#ends[shape - 1]!;
    const end = isOne ? before : before + steps.length;
    if (end > this.#steps.length) {
      const grown = new Int16Array(2 * end);
      grown.set(this.#steps);
      this.#steps = grown;
    }
    if (!isOne) this.#steps.set(steps, before);
    this.#ends.push(end);
    return true;
  }

  /** Copies a cell as JSON text without quotes. */
  #copyText(spans: CellSpans, cell: number, start: number, end: number, at: number): number {
    if ((spans.marks[cell]! & ESCAPED) === 0) {
      const source = this.#sourceWords;
      const words = this.#words;
      let from = start;
      let to = at;
      for (; end - from >= WORD_BYTES; from += WORD_BYTES, to += WORD_BYTES) {
        const word = source.getInt32(from, true);
        if (needsEscape(word)) break;
        words.setInt32(to, word, true);
      }
      for (; from < end; from++, to++) {
        const byte = source.getUint8(from);
        if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH) break;
        words.setUint8(to, byte);
      }
      if (from === end) return to;
    }
    return at + this.#target.write(JSON.stringify(spans.text(cell)).slice(1, -1), at);
  }
}

/** How cells like this one are written; `undefined` if those that differ in their digits are not written alike. */
function findSteps(
  { areDigitsAlike, read }: WrittenColumn,
  text: string,
  isText: boolean,
): readonly number[] | undefined {
  const value = read(text, isText);
  if (value === undefined || value.length > MOST_VALUE || !/^[\d.-]+$/.test(value)) return undefined;
  const steps = stepsOf(text, value, areDigitsAlike);
  if (steps === undefined || !areDigitsAlike) return steps;
  const isAlike = (other: string): boolean => read(other, isText) === follow(steps, other);
  return textsAlike(text).every(isAlike) ? steps : undefined;
}

/**
 * How a value is built: all digits of the text in their order, then zeros; and other signs. `undefined` if it is built
 * otherwise. Where digits are not alike, nothing is copied.
 */
function stepsOf(text: string, value: string, areDigitsAlike: boolean): number[] | undefined {
  const bytes = Buffer.from(text);
  const places = areDigitsAlike ? [...bytes.keys()].filter((at) => isDigit(bytes[at]!)) : [];
  let copied = 0;
  const steps: number[] = [];
  for (const byte of Buffer.from(value)) {
    const place = isDigit(byte) ? places[copied] : undefined;
    if (place === undefined) {
      if (areDigitsAlike && isDigit(byte) && byte !== ZERO) return undefined;
      steps.push(-byte);
    } else {
      if (bytes[place] !== byte) return undefined;
      steps.push(place);
      copied += 1;
    }
  }
  return copied === places.length ? steps : undefined;
}

/** The result of the steps on a text. */
function follow(steps: readonly number[], text: string): string {
  const bytes = Buffer.from(text);
  return String.fromCharCode(...steps.map((step) => (step < 0 ? -step : bytes[step]!)));
}

/** Bytes that are written often, in words of four; the last word may be longer than they are. */
interface Piece {
  readonly words: Int32Array;
  readonly bytes: number;
}

function pieceOf(bytes: Buffer): Piece {
  const padded = Buffer.alloc(Math.ceil(bytes.length / WORD_BYTES) * WORD_BYTES);
  bytes.copy(padded);
  const words = Int32Array.from({ length: padded.length / WORD_BYTES }, (_, word) =>
    padded.readInt32LE(word * WORD_BYTES),
  );
  return { words, bytes: bytes.length };
}

/** Writes a piece; surplus bytes of its last word are written over later. */
function put({ words, bytes }: Piece, target: DataView, at: number): number {
  for (let word = 0, to = at; word < words.length; word++, to += WORD_BYTES)
    target.setInt32(to, words[word]!, true);
  return at + bytes;
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** True if one of four bytes is a control character, a quote or a backslash. */
function needsEscape(word: number): boolean {
  return (
    ((((word - FIRST_PRINTABLE * ONES) & ~word) |
      zerosIn(word ^ (QUOTE * ONES)) |
      zerosIn(word ^ (BACKSLASH * ONES))) &
      HIGHS) !==
    0
  );
}

/** Its high bits show that one of the four bytes is zero. */
function zerosIn(word: number): number {
  return (word - ONES) & ~word;
}
