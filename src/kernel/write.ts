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
interface WrittenColumn extends PlainColumn {
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
const ZERO = 0x30;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

/** Writes the records of plain rows, from the bytes of their cells: those that `RowExaminer` finds. */
export class PlainWriter {
  /** Where the key of the last record is in the written bytes; equal without a key. */
  keyStart = 0;
  keyEnd = 0;
  readonly #rows: PlainRows;
  readonly #columns: readonly WrittenColumn[];
  readonly #tail: Buffer;
  readonly #fixedBytes: number;
  /** By shape: where its steps end in `#steps`. A step is the offset of a byte of the cell, or minus a byte. */
  #ends: number[] = [0];
  #steps = new Int16Array(FIRST_STEPS);
  /** By shape: the value of its cells, if it is one for all of them; then there are no steps. */
  readonly #values: (Buffer | undefined)[] = [undefined];

  /** `tail`: what comes after the last value. */
  constructor(columns: readonly WrittenColumn[], rules: PlainRules, tail: Buffer) {
    this.#rows = new PlainRows(columns, rules);
    this.#columns = columns;
    this.#tail = tail;
    this.#fixedBytes = columns.reduce((bytes, { next }) => bytes + next.length + MOST_VALUE, tail.length);
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
    const { bytes, starts } = spans;
    const { given, keyCell } = this.#rows;
    const columns = this.#columns;
    const steps = this.#steps;
    let to = at;
    this.keyStart = at;
    this.keyEnd = at;
    for (let slot = 0; slot < columns.length; slot++) {
      const shape = given[slot]!;
      if (shape === NOTHING) continue;
      const { first, next, index } = columns[slot]!;
      to = put(to === at ? first : next, target, to);
      const cell = firstCell + index;
      const start = starts[cell]!;
      if (shape > 0) {
        const value = this.#values[shape];
        if (value !== undefined) {
          to = put(value, target, to);
          continue;
        }
        const last = this.#ends[shape]!;
        for (let step = this.#ends[shape - 1]!; step < last; step++) {
          const from = steps[step]!;
          target[to++] = from < 0 ? -from : bytes[start + from]!;
        }
      } else if (shape === AS_IT_IS) {
        const from = to;
        to = copyText(spans, cell, target, to);
        if (cell !== keyCell) continue;
        this.keyStart = from;
        this.keyEnd = to;
      }
    }
    return put(this.#tail, target, to);
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
    this.#values.push(isOne ? Buffer.from(follow(steps, text)) : undefined);
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
}

/** Copies a cell as JSON text without quotes; returns the position after it. */
function copyText(spans: CellSpans, cell: number, target: Buffer, at: number): number {
  const { bytes, starts, ends, marks } = spans;
  if ((marks[cell]! & ESCAPED) === 0) {
    const end = ends[cell]!;
    let to = at;
    for (let from = starts[cell]!; from < end; from++) {
      const byte = bytes[from]!;
      if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH) break;
      target[to++] = byte;
    }
    if (to - at === end - starts[cell]!) return to;
  }
  return at + target.write(JSON.stringify(spans.text(cell)).slice(1, -1), at);
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

/** Copies a few bytes; returns the position after them. */
function put(bytes: Buffer, target: Buffer, at: number): number {
  for (let from = 0; from < bytes.length; from++) target[at + from] = bytes[from]!;
  return at + bytes.length;
}
