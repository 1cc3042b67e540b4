import { ShapeTable } from "../../kernel/shapes.ts";
import { type Cell, ESCAPED, NestedValue, type Row } from "../../model/problem-groups.ts";
import { AmountScan, scanAmount } from "../amount/amount-scan.ts";
import { DateScan } from "../date/date-scan.ts";
import { scanDate } from "../date/date.ts";
import type { NullWords } from "../null-words.ts";
import { isDigit, isLetter, PlainTexts } from "../plain-texts.ts";
import { cellText, trimSpaces } from "../spreadsheet-text.ts";

/** What a cell is, whatever its column holds: a letter, so that those of a row make a pattern. */
export const EMPTY = " ";
export const TEXT = "t";
/** A word with a digit in it. */
export const CODE = "c";
export const NUMBER = "n";
export const DATE = "d";
/** Nothing but dashes and the like. */
export const RULE = "r";
/** An object of JSON. */
export const NESTED = "o";
export type CellClass =
  typeof EMPTY | typeof TEXT | typeof CODE | typeof NUMBER | typeof DATE | typeof RULE | typeof NESTED;

const RULES = /^[\s\-=_*~#+.·–—|]+$/;
/** A day in three numbers: what is no day of the calendar is a date all the same. */
const DAY = /^(?:\d{1,2}([/.\- ])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([/.-])\d{1,2}\2\d{1,2})$/;
/** What shapes stand for, as they are learnt: the number of a class, from 1 on. */
const LEARNT: readonly CellClass[] = [NUMBER, DATE, CODE, RULE, EMPTY];
/** So long are the cells whose shapes are learnt: numbers, dates, codes. */
const LONGEST = 32;
const BLANK = 0x20;
const ASCII = 0x80;

/** Classifies the cells of one input. */
export class CellClasses {
  readonly #plain = new PlainTexts();
  readonly #shapes = new ShapeTable();
  /** By column: the shape of its last cell that has one. */
  readonly #last: number[] = [];
  readonly #amount = new AmountScan();
  readonly #date = new DateScan();

  /** The class of the cell of a row with spans. */
  ofSpan({ spans, firstCell = 0 }: Row, column: number, nulls: NullWords | undefined): CellClass {
    const cell = firstCell + column;
    const start = spans!.starts[cell]!;
    const end = spans!.ends[cell]!;
    if (start >= end) return EMPTY;
    const { bytes, marks } = spans!;
    const mayBeNull = nulls !== undefined && nulls.firstBytes[bytes[start]!] !== 0;
    const isSpaced = bytes[start]! <= BLANK || bytes[end - 1]! <= BLANK;
    if (!mayBeNull && !isSpaced && (marks[cell]! & ESCAPED) === 0) {
      const known = this.#ofBytes(bytes, start, end, column);
      if (known !== undefined) return known;
    }
    return this.ofCell(spans!.value(cell), nulls);
  }

  /** The class of any cell. */
  ofCell(cell: Cell, nulls: NullWords | undefined): CellClass {
    if (cell === undefined || cell === null) return EMPTY;
    if (cell instanceof NestedValue) return cell.what === "object" ? NESTED : TEXT;
    const whole = cellText(cell) ?? "";
    const text = trimSpaces(whole);
    if (text === "" || nulls?.has(whole) === true || nulls?.has(text) === true) return EMPTY;
    return this.#ofText(text);
  }

  #ofText(text: string): CellClass {
    if (RULES.test(text)) return RULE;
    if (!/\d/.test(text)) return TEXT;
    if (DAY.test(text)) return DATE;
    if (scanAmount(text, this.#amount) === undefined) return NUMBER;
    if (scanDate(text, this.#date) === undefined) return DATE;
    return /\s/.test(text) ? TEXT : CODE;
  }

  /** The class of a cell without outer blanks that its bytes show at once; `undefined` for a closer look. */
  #ofBytes(bytes: Buffer, start: number, end: number, column: number): CellClass | undefined {
    const first = bytes[start]!;
    if (isLetter(first)) {
      let hasDigit = false;
      let hasBlank = false;
      let hasOthers = false;
      for (let at = start; at < end; at++) {
        const byte = bytes[at]!;
        if (isDigit(byte)) hasDigit = true;
        else if (byte === BLANK) hasBlank = true;
        else if (byte < BLANK || byte >= ASCII) hasOthers = true;
      }
      if (!hasDigit) return TEXT;
      // `12 mai` and `EUR 5` begin with a letter too.
      if (!this.#plain.has(bytes, start, end)) return undefined;
      if (hasBlank) return TEXT;
      return hasOthers ? undefined : CODE;
    }
    return end - start <= LONGEST ? this.#ofShape(bytes, start, end, column) : undefined;
  }

  /** The class of a cell, by another one that differs from it in digits only. */
  #ofShape(bytes: Buffer, start: number, end: number, column: number): CellClass {
    // Most cells are of the shape of the one above.
    let shape = this.#last[column] ?? 0;
    if (shape === 0 || !this.#shapes.isOf(shape, bytes, start, end)) {
      shape = this.#shapes.find(0, true, bytes, start, end);
      this.#last[column] = shape;
    }
    if (shape !== 0) return LEARNT[this.#shapes.learnt(shape) - 1]!;
    const text = bytes.toString("utf8", start, end);
    const trimmed = trimSpaces(text);
    const found = trimmed === "" ? EMPTY : this.#ofText(trimmed);
    // A month or an address is read each time: whether it is a date depends on its digits too.
    if (LEARNT.includes(found) && !/\p{L}/u.test(text))
      this.#shapes.learn(0, true, text, LEARNT.indexOf(found) + 1);
    return found;
  }
}
