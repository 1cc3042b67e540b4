import type { PlainSurvey } from "../../kernel/evidence.ts";
import { isDigit, ShapeTable } from "../../kernel/shapes.ts";
import {
  type Cell,
  cellOf,
  type CellSpans,
  ESCAPED,
  NestedValue,
  NO_TEXT,
  type Row,
} from "../../model/rows.ts";
import { scanAmount } from "../amount/amount.ts";
import { scanDate, ScannedDate } from "../date/date.ts";
import type { NullWords } from "../record/examine-row.ts";
import { isAsciiLetter, isPlainText } from "../plain-texts.ts";
import { cellText, trimSpaces } from "../spreadsheet-text.ts";
import { mayName, nameOf, type Naming } from "./total-words.ts";

/**
 * The classes of cells: nothing, a text, a code (a word with a digit), a number, a date, a rule (nothing but dashes and the
 * like), or an object of JSON. One letter each, so that those of a row make a form.
 */
export const [EMPTY, TEXT, CODE, NUMBER, DATE, RULE, NESTED] = [" ", "t", "c", "n", "d", "r", "o"] as const;
const [EMPTY_BYTE, TEXT_BYTE, CODE_BYTE] = [EMPTY, TEXT, CODE].map(byteOf) as [number, number, number];

/** A row as the rule of odd rows sees it; rows that are alike here are judged alike. */
export interface RowForm {
  /** The classes of its cells, up to the last filled one. */
  readonly cells: string;
  /** Whether its key, and its first text, is a total's phrase or holds the word of one. */
  readonly key: Naming;
  readonly text: Naming;
  /** True if it is the first row, and its cells are the numbers of the columns. */
  readonly isNumbering: boolean;
}

/** The rows of one form. */
export interface CountedForm {
  readonly form: RowForm;
  /** The name of the form in the result of a survey. */
  readonly name: string;
  readonly count: number;
}

/** The columns of an input, as far as they matter for the forms of its rows. */
export interface FormColumns {
  readonly width: number;
  /** The column of the key. */
  readonly key: number | undefined;
  /** By column: the words that mean "no value", if there are any. */
  readonly nullsAt: readonly (NullWords | undefined)[];
}

const HAS_DIGIT = /\d/;
const RULES = /^[\s\-=_*~#+.·–—|]+$/;
/** A day in three numbers, which counts as a date even if the calendar does not have it. */
const DAY = /^(?:\d{1,2}([/.\- ])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([/.-])\d{1,2}\2\d{1,2})$/;
/** The longest cells whose shapes are learnt: numbers, dates, codes. */
const LONGEST = 32;
const [BLANK, OPENING_BRACKET, OPENING_BRACE] = [0x20, 0x5b, 0x7b];
const NAMINGS: readonly Naming[] = ["none", "name", "phrase"];
/** The fewest columns of a row that numbers them. */
const LEAST_NUMBERED = 4;
/** In the name of a form: the first row numbers the columns. */
const NUMBERING = 9;
const FIRST_CELLS = 64;

/** Finds the forms of the rows of one input, and counts them, without making a text for each row. */
export class RowForms {
  /** The classes of cells with a digit. */
  readonly #shapes = new ShapeTable();
  /** By column: the shape of its last cell that has one. */
  readonly #last: number[] = [];
  /** The namings of texts. */
  readonly #names = new ShapeTable();
  /** Of the last row: the classes of its cells, up to the last filled one, and its other facts. */
  #cells: Buffer = Buffer.alloc(FIRST_CELLS);
  #length = 0;
  #facts = 0;
  #isFirst = true;
  readonly #counted = new Map<string, CountedForm & { count: number }>();
  /** The places in {@link #met} of the forms that were counted; long ones are not learnt. */
  #places = new ShapeTable();
  #met: { count: number }[] = [];

  /** Reads the next row; `plain` has the shapes of some of its cells. False for a row that holds nothing but a key. */
  look(row: Row, { key, nullsAt }: FormColumns, plain?: PlainSurvey): boolean {
    const { spans, firstCell, width } = row;
    let filled = 0;
    let text = -1;
    let hasKey = false;
    this.#length = 0;
    for (let column = 0; column < width; column++) {
      const known = plain === undefined ? 0 : plain.facts(column);
      const byte = known || this.ofSpan(spans, firstCell + column, column, nullsAt[column]);
      if (byte === EMPTY_BYTE) continue;
      this.#put(column, byte);
      filled++;
      hasKey ||= column === key;
      if (text === -1 && (byte === TEXT_BYTE || byte === CODE_BYTE)) text = column;
    }
    if (filled === 0 || (filled === 1 && hasKey)) return false;
    const textNaming = text === -1 ? 0 : this.#namingOf(row, text);
    const keyNaming = !hasKey ? 0 : key === text ? textNaming : this.#namingOf(row, key!);
    const isNumbers = this.#isFirst && filled >= LEAST_NUMBERED && isNumbering(row, this.#length);
    this.#isFirst = false;
    this.#facts = keyNaming + 3 * textNaming + (isNumbers ? NUMBERING : 0);
    return true;
  }

  /** The name of the last row's form. */
  get name(): string {
    return `${this.#cells.toString("latin1", 0, this.#length)}${this.#facts}`;
  }

  /** The last row's form. */
  get form(): RowForm {
    const facts = this.#facts;
    return {
      cells: this.#cells.toString("latin1", 0, this.#length),
      key: NAMINGS[facts % 3]!,
      text: NAMINGS[Math.floor(facts / 3) % 3]!,
      isNumbering: facts >= NUMBERING,
    };
  }

  /** Counts the last row; returns how many forms there are so far. */
  count(): number {
    const place = this.#places.find(this.#facts, false, this.#cells, 0, this.#length);
    if (place !== 0) this.#met[this.#places.learnt(place)]!.count++;
    else {
      const { name, form } = this;
      const counted = this.#counted.get(name) ?? { form, name, count: 0 };
      counted.count++;
      this.#counted.set(name, counted);
      if (this.#places.learn(this.#facts, false, form.cells, this.#met.length)) this.#met.push(counted);
    }
    return this.#counted.size;
  }

  /** The forms that were counted. */
  get counted(): readonly CountedForm[] {
    return [...this.#counted.values()];
  }

  /** Forgets some forms. */
  forget(forms: readonly CountedForm[]): void {
    for (const { name } of forms) this.#counted.delete(name);
    this.#places = new ShapeTable();
    this.#met = [];
  }

  /** The class of a stretch of bytes, as a byte. */
  ofSpan(spans: CellSpans, cell: number, column: number, nulls: NullWords | undefined): number {
    const start = spans.starts[cell]!;
    const end = spans.ends[cell]!;
    if (start >= end) return EMPTY_BYTE;
    const { bytes } = spans;
    const first = bytes[start]!;
    const mark = spans.marks[cell]!;
    const isNested = (mark & NO_TEXT) !== 0 && (first === OPENING_BRACE || first === OPENING_BRACKET);
    const isPlain = (mark & ESCAPED) === 0 && !isNested && first > BLANK && bytes[end - 1]! > BLANK;
    if (!isPlain || (nulls !== undefined && nulls.firstBytes[first] !== 0))
      return this.#ofCell(spans.value(cell), nulls);
    // Most cells are of the shape of the one above.
    const last = this.#last[column] ?? 0;
    if (last !== 0 && this.#shapes.isOf(last, bytes, start, end)) return this.#shapes.learnt(last);
    if (isAsciiLetter(first) && !holdsDigit(bytes, start, end)) return TEXT_BYTE;
    const shape = end - start > LONGEST ? 0 : this.#shapes.find(0, true, bytes, start, end);
    if (shape === 0) return this.#learn(spans.text(cell));
    this.#last[column] = shape;
    return this.#shapes.learnt(shape);
  }

  #ofCell(cell: Cell, nulls: NullWords | undefined): number {
    if (cell === undefined || cell === null) return EMPTY_BYTE;
    if (cell instanceof NestedValue) return byteOf(cell.what === "object" ? NESTED : TEXT);
    const whole = cellText(cell) ?? "";
    const text = trimSpaces(whole);
    return nulls?.has(whole) === true || nulls?.has(text) === true ? EMPTY_BYTE : this.#ofText(text);
  }

  /**
   * Learns the class of cells that differ from a text in digits only, where these do not matter: the text begins with a
   * word with which no date begins, or it has no letter, or each time its month is read.
   */
  #learn(text: string): number {
    const found = this.#ofText(trimSpaces(text));
    const isPlain = HAS_DIGIT.test(text) && isPlainText(text);
    const areAlike = isPlain || (found !== TEXT_BYTE && found !== EMPTY_BYTE && !/\p{L}/u.test(text));
    if (areAlike && text.length <= LONGEST) this.#shapes.learn(0, true, text, found);
    return found;
  }

  #ofText(text: string): number {
    if (text === "") return EMPTY_BYTE;
    if (!HAS_DIGIT.test(text)) return byteOf(RULES.test(text) ? RULE : TEXT);
    if (!isPlainText(text)) {
      if (DAY.test(text)) return byteOf(DATE);
      if (typeof scanAmount(text) !== "string") return byteOf(NUMBER);
      if (scanDate(text) instanceof ScannedDate) return byteOf(DATE);
    }
    return byteOf(/\s/.test(text) ? TEXT : CODE);
  }

  /** The number for a cell's naming of its row. */
  #namingOf(row: Row, column: number): number {
    const { spans, firstCell } = row;
    const cell = firstCell + column;
    if ((spans.marks[cell]! & ESCAPED) !== 0) return NAMINGS.indexOf(nameOf(textAt(row, column)));
    const { bytes, starts, ends } = spans;
    const [start, end] = [starts[cell]!, ends[cell]!];
    if (!mayName(bytes, start, end)) return 0;
    const shape = this.#names.find(0, true, bytes, start, end);
    if (shape !== 0) return this.#names.learnt(shape);
    const text = spans.text(cell);
    const naming = NAMINGS.indexOf(nameOf(text));
    this.#names.learn(0, true, text, naming);
    return naming;
  }

  #put(column: number, byte: number): void {
    if (column >= this.#cells.length) this.#cells = Buffer.concat([this.#cells], 2 * (column + 1));
    if (column > this.#length) this.#cells.fill(EMPTY, this.#length, column);
    this.#cells[column] = byte;
    this.#length = Math.max(this.#length, column + 1);
  }
}

/** The text of a cell, without outer spaces. */
export function textAt(row: Row, column: number): string {
  return trimSpaces(cellText(cellOf(row, column)) ?? "");
}

function byteOf(letter: string): number {
  return letter.charCodeAt(0);
}

function holdsDigit(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isDigit(bytes[at]!)) return true;
  return false;
}

function isNumbering(row: Row, width: number): boolean {
  for (let column = 0; column < width; column++) {
    const text = textAt(row, column).replace(/^\((.*)\)$/, "$1");
    if (text !== "" && text !== String(column + 1)) return false;
  }
  return true;
}
