import { ABSENT, type CellSpans, ESCAPED, NO_TEXT } from "../model/rows.ts";
import { isDigit, isVisibleAscii, ShapeTable } from "./shapes.ts";

/** A used column, as far as it decides what a row is. */
export interface PlainColumn {
  readonly index: number;
  readonly kind: "key" | "text" | "typed";
  /** True if the digits of a cell only matter as a number. */
  readonly areDigitsAlike: boolean;
  /** True if a row without a value for it has to be read with care. */
  readonly isAwaited: boolean;
  /** True if an empty cell is sent. */
  readonly givesEmpty: boolean;
  /** By first byte: 1 if the cell may be a word for "no value". */
  readonly nulls: Uint8Array | undefined;
}

/** Rules for a row as a whole, as `RowRules` has them. */
export interface PlainRules {
  readonly only: "updates" | "creates" | undefined;
  readonly hasExtras: boolean;
  /** Columns that must be empty. */
  readonly nameless: readonly number[];
}

/** The kinds of plain rows; the others need a closer look. */
export const [CLOSER_LOOK, CREATE, UPDATE] = [0, 1, 2];

/** The contents of a cell that has no learnt shape. */
export const [NOTHING, EMPTY, AS_IT_IS] = [0, -1, -2];
/** An empty cell is left out, is sent, or has to be read with care. */
const [IGNORED, SENT, AWAITED] = [0, 1, 2];
/** The shape of cells that have to be read with care, each by itself. */
export const REFUSED = -3;

const SPACE = 0x20;
const QUOTE = 0x22;
const HASH = 0x23;
const APOSTROPHE = 0x27;
const PLUS = 0x2b;
const MINUS = 0x2d;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;
const LETTER_E = 0x65;
const DELETE = 0x7f;
const TRUE = 0x74;
const FALSE = 0x66;
/** Letters from U+00C0 to U+07FF begin with one of these; no space does. */
const FIRST_LETTERS = 0xc3;
const LAST_LETTERS = 0xdf;
/** No cell begins with it. */
const NO_KEY = -1;

/**
 * Decides the kind of plain rows, for survey and writing alike: as `RowExaminer` does, but from shapes that were learnt
 * from it. A row with a cell of no known shape is left to the examiner.
 */
export class PlainRows {
  /** By slot, of the last row: the shape of its cell, or one of the constants above. */
  readonly given: Int32Array;
  /** The cell of the last row's key; -1 without one. */
  keyCell: number = NO_KEY;
  readonly #shapes = new ShapeTable();
  /** By kind: the shape of the last cell, where digits are alike. */
  readonly #last: Int32Array;
  readonly #columns: readonly PlainColumn[];
  /** By slot: the column's index, and what an empty cell means. A row of few members has many of them. */
  readonly #indexes: Int32Array;
  readonly #empties: Uint8Array;
  readonly #rules: PlainRules;
  /** The slot whose cell has no known shape; -1 if there is none. */
  unknown = -1;

  constructor(columns: readonly PlainColumn[], rules: PlainRules) {
    this.#columns = columns;
    this.#indexes = Int32Array.from(columns, ({ index }) => index);
    this.#empties = Uint8Array.from(columns, (one) =>
      one.isAwaited ? AWAITED : one.givesEmpty ? SENT : IGNORED,
    );
    this.#rules = rules;
    this.given = new Int32Array(columns.length);
    this.#last = new Int32Array(2 * columns.length);
  }

  /** Learns a shape, not 0, for cells like this one in its column; false if there is no room. */
  learn(slot: number, spans: CellSpans, cell: number, shape: number): boolean {
    const { areDigitsAlike } = this.#columns[slot]!;
    return this.#shapes.learn(kindOf(slot, spans.marks[cell]!), areDigitsAlike, spans.text(cell), shape);
  }

  /** True if a shape of a cell is known. */
  isKnown(slot: number, { bytes, starts, ends, marks }: CellSpans, cell: number): boolean {
    const kind = kindOf(slot, marks[cell]!);
    return (
      this.#shapes.find(kind, this.#columns[slot]!.areDigitsAlike, bytes, starts[cell]!, ends[cell]!) !== 0
    );
  }

  /** The kind of a row. */
  look(spans: CellSpans, firstCell: number, width: number): number {
    const { bytes, starts, ends, marks } = spans;
    const columns = this.#columns;
    const { given } = this;
    let givesValue = false;
    let hasContent = false;
    this.keyCell = NO_KEY;
    this.unknown = -1;
    for (let slot = 0; slot < columns.length; slot++) {
      const index = this.#indexes[slot]!;
      // Columns after its last cell belong to other rows.
      if (index >= width) return CLOSER_LOOK;
      const cell = firstCell + index;
      const start = starts[cell]!;
      const end = ends[cell]!;
      const mark = marks[cell]!;
      if (start === end) {
        const empty = this.#empties[slot]!;
        if (empty === AWAITED) return CLOSER_LOOK;
        const isEmpty = empty === SENT && (mark & ABSENT) === 0;
        given[slot] = isEmpty ? EMPTY : NOTHING;
        givesValue ||= isEmpty;
        continue;
      }
      const column = columns[slot]!;
      const first = bytes[start]!;
      const isEscaped = (mark & ESCAPED) !== 0;
      if (column.nulls !== undefined && (isEscaped || column.nulls[first] !== 0)) return CLOSER_LOOK;
      const isText = (mark & NO_TEXT) === 0;
      if (column.kind === "text") {
        if (!isText && !isBare(first)) return CLOSER_LOOK;
        given[slot] = AS_IT_IS;
        givesValue = true;
        hasContent ||=
          !isEscaped && (isVisibleAscii(first) || (first >= FIRST_LETTERS && first <= LAST_LETTERS));
        continue;
      }
      if (isEscaped) return CLOSER_LOOK;
      if (column.kind === "key") {
        const isPlain = isText ? isPlainKey(bytes, start, end) : areDigits(bytes, start, end);
        if (!isPlain) return CLOSER_LOOK;
        given[slot] = AS_IT_IS;
        this.keyCell = cell;
        continue;
      }
      const kind = kindOf(slot, mark);
      let shape = this.#last[kind]!;
      // Most cells are of the shape of the one above.
      if (shape === 0 || !this.#shapes.isOf(shape, bytes, start, end)) {
        shape = this.#shapes.find(kind, column.areDigitsAlike, bytes, start, end);
        if (shape === 0) {
          this.unknown = slot;
          return CLOSER_LOOK;
        }
        if (column.areDigitsAlike) this.#last[kind] = shape;
      }
      const learnt = this.#shapes.learnt(shape);
      if (learnt === REFUSED) return CLOSER_LOOK;
      given[slot] = learnt;
      givesValue = true;
      hasContent = true;
    }
    const { only, hasExtras, nameless } = this.#rules;
    for (let at = 0; at < nameless.length; at++) {
      const cell = firstCell + nameless[at]!;
      if (nameless[at]! < width && starts[cell] !== ends[cell]) return CLOSER_LOOK;
    }
    if (this.keyCell === NO_KEY) return hasContent && only !== "updates" ? CREATE : CLOSER_LOOK;
    return (givesValue || hasExtras) && only !== "creates" ? UPDATE : CLOSER_LOOK;
  }
}

/** A number for the texts of a column, and one for its other cells. */
function kindOf(slot: number, mark: number): number {
  return 2 * slot + ((mark & NO_TEXT) === 0 ? 0 : 1);
}

/** True for the first byte of a number, true or false: a list, an object and a fault of a workbook begin otherwise. */
function isBare(first: number): boolean {
  return isDigit(first) || first === MINUS || first === TRUE || first === FALSE;
}

function areDigits(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isDigit(bytes[at]!)) return false;
  return true;
}

/**
 * True for bytes that the reader of keys (`fields/key.ts`) certainly takes as they are: ASCII without blanks, with a digit, which is in no word for "no
 * value"; not a number with an exponent, nor with a sign of a spreadsheet before it.
 */
export function isPlainKey(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start]!;
  if (first === EQUALS || first === HASH || first === APOSTROPHE) return false;
  const mayBeNumber = isDigit(first) || first === PLUS || first === MINUS;
  let hasDigit = false;
  for (let at = start; at < end; at++) {
    const code = bytes[at]!;
    if (code <= SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH) return false;
    if (isDigit(code)) hasDigit = true;
    else if (mayBeNumber && (code | 0x20) === LETTER_E) return false;
  }
  return hasDigit;
}
