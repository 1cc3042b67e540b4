import { isDigit, ShapeTable } from "../../kernel/shapes.ts";
import { type Cell, type CellSpans, ESCAPED, NestedValue, NO_TEXT } from "../../model/rows.ts";
import { AmountScan, scanAmount } from "../amount/amount.ts";
import { DateScan } from "../date/date-scan.ts";
import { scanDate } from "../date/date.ts";
import type { NullWords } from "../null-words.ts";
import { isLetter, PlainTexts } from "../plain-texts.ts";
import { cellText, trimSpaces } from "../spreadsheet-text.ts";
import { mayName, nameOf, type Naming } from "./total-words.ts";

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

const HAS_DIGIT = /\d/;
const RULES = /^[\s\-=_*~#+.·–—|]+$/;
/** A day in three numbers: what is no day of the calendar is a date all the same. */
const DAY = /^(?:\d{1,2}([/.\- ])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([/.-])\d{1,2}\2\d{1,2})$/;
/** So long are the cells whose shapes are learnt: numbers, dates, codes. */
const LONGEST = 32;
const MOST_WIDTH = 15;
const BLANK = 0x20;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/**
 * All that is to be known of a cell, as one number: its class as a byte, what it says about its row, and the width of a
 * number, in characters. Cells of one shape have one.
 */
export type CellFacts = number;
export const NAMINGS: readonly Naming[] = ["none", "name", "phrase"];
/** In the place of what a cell says about its row: nobody has looked yet. */
export const UNREAD = 3;
const WIDTH_AT = 9;
const NAMING_AT = 7;
const CLASS_BITS = 0x7f;
export const NO_CELL: CellFacts = EMPTY.charCodeAt(0);
const UNREAD_TEXT: CellFacts = factsOf(TEXT, "", UNREAD);

/** The byte that stands for the class of a cell. */
export function classOf(facts: CellFacts): number {
  return facts & CLASS_BITS;
}

/** The number of what a cell says about its row, or {@link UNREAD}. */
export function namingOf(facts: CellFacts): number {
  return (facts >> NAMING_AT) & UNREAD;
}

/** The width of a number; 0 for other cells. */
export function widthOf(facts: CellFacts): number {
  return facts >> WIDTH_AT;
}

/** Classifies the cells of one input. */
export class CellClasses {
  readonly #plain = new PlainTexts();
  /** The facts of cells that hold a digit. */
  readonly #shapes = new ShapeTable();
  /** By column: the shape of its last cell that has one. */
  readonly #last: number[] = [];
  /** What texts without a digit say about their rows. */
  readonly #names = new ShapeTable();
  readonly #amount = new AmountScan();
  readonly #date = new DateScan();

  /** The facts of a stretch of bytes. */
  ofSpan(spans: CellSpans, cell: number, column: number, nulls: NullWords | undefined): CellFacts {
    const start = spans.starts[cell]!;
    const end = spans.ends[cell]!;
    if (start >= end) return NO_CELL;
    const { bytes } = spans;
    const first = bytes[start]!;
    const mark = spans.marks[cell]!;
    const isNested = (mark & NO_TEXT) !== 0 && (first === OPENING_BRACE || first === OPENING_BRACKET);
    const isPlain = (mark & ESCAPED) === 0 && !isNested && first > BLANK && bytes[end - 1]! > BLANK;
    if (!isPlain || (nulls !== undefined && nulls.firstBytes[first] !== 0))
      return this.ofCell(spans.value(cell), nulls);
    // Most cells are of the shape of the one above.
    const last = this.#last[column] ?? 0;
    if (last !== 0 && this.#shapes.isOf(last, bytes, start, end)) return this.#shapes.learnt(last);
    if (isLetter(first) && !holdsDigit(bytes, start, end)) return UNREAD_TEXT;
    const shape = end - start > LONGEST ? 0 : this.#shapes.find(0, true, bytes, start, end);
    if (shape === 0) return this.#learn(spans.text(cell));
    this.#last[column] = shape;
    return this.#shapes.learnt(shape);
  }

  /** The facts of all cells of the shape of one; 0 if they are looked at one by one. */
  ofShape(spans: CellSpans, cell: number, column: number, nulls: NullWords | undefined): CellFacts {
    const facts = this.ofSpan(spans, cell, column, nulls);
    return namingOf(facts) === UNREAD ? 0 : facts;
  }

  /** The facts of any cell. */
  ofCell(cell: Cell, nulls: NullWords | undefined): CellFacts {
    if (cell === undefined || cell === null) return NO_CELL;
    if (cell instanceof NestedValue)
      return cell.what === "object" ? factsOf(NESTED, "", UNREAD) : UNREAD_TEXT;
    const whole = cellText(cell) ?? "";
    const text = trimSpaces(whole);
    if (text === "" || nulls?.has(whole) === true || nulls?.has(text) === true) return NO_CELL;
    return factsOf(this.#ofText(text), text, UNREAD);
  }

  /** What a cell says about its row; `text`: what it holds, trimmed. */
  naming(spans: CellSpans | undefined, cell: number, text: () => string): Naming {
    if (spans === undefined || (spans.marks[cell]! & ESCAPED) !== 0) return nameOf(text());
    const start = spans.starts[cell]!;
    const end = spans.ends[cell]!;
    if (!mayName(spans.bytes, start, end)) return "none";
    const shape = this.#names.find(0, true, spans.bytes, start, end);
    if (shape !== 0) return NAMINGS[this.#names.learnt(shape)]!;
    const found = nameOf(text());
    this.#names.learn(0, true, spans.text(cell), NAMINGS.indexOf(found));
    return found;
  }

  /**
   * Learns the facts of cells that differ from a text in digits only, where these do not matter: it begins with a word with
   * which no date begins, or it holds no letter, and a month is read each time.
   */
  #learn(text: string): CellFacts {
    const trimmed = trimSpaces(text);
    if (trimmed === "") return NO_CELL;
    const found = this.#ofText(trimmed);
    const areAlike = HAS_DIGIT.test(trimmed) && this.#plain.has(trimmed);
    if (text.length > LONGEST || !(areAlike || (found !== TEXT && !/\p{L}/u.test(text))))
      return factsOf(found, trimmed, UNREAD);
    const facts = factsOf(found, trimmed, NAMINGS.indexOf(nameOf(trimmed)));
    this.#shapes.learn(0, true, text, facts);
    return facts;
  }

  #ofText(text: string): CellClass {
    if (!HAS_DIGIT.test(text)) return RULES.test(text) ? RULE : TEXT;
    if (!this.#plain.has(text)) {
      if (DAY.test(text)) return DATE;
      if (scanAmount(text, this.#amount) === undefined) return NUMBER;
      if (scanDate(text, this.#date) === undefined) return DATE;
    }
    return /\s/.test(text) ? TEXT : CODE;
  }
}

function factsOf(cell: CellClass, text: string, naming: number): CellFacts {
  const width = cell === NUMBER ? Math.min(text.length, MOST_WIDTH) : 0;
  return cell.charCodeAt(0) | (naming << NAMING_AT) | (width << WIDTH_AT);
}

function holdsDigit(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isDigit(bytes[at]!)) return true;
  return false;
}
