import { type Cell, cellOf, ESCAPED, NO_TEXT, type Row } from "../../model/problem-groups.ts";
import { scanAmountCell } from "../amount/amount-evidence.ts";
import type { AmountScan } from "../amount/amount-scan.ts";
import type { AmountSum } from "../amount/amount-sum.ts";
import { findDamage } from "../key.ts";
import type { NullWords } from "../null-words.ts";
import { LATIN_LETTERS, type PlainTexts } from "../plain-texts.ts";
import { cellText, isBlank, trimSpaces } from "../spreadsheet-text.ts";
import { isNoValue } from "../type-text.ts";
import { isRemark } from "./remark.ts";
import { mayBePhrase, mayEndAsTotal } from "./total-phrase.ts";

/** How full the rows so far are, of those that are neither blank nor suspect. */
export class RowsSoFar {
  count = 0;
  /** True as long as every key contains a digit. */
  keysHoldFigures = true;
  /** How many rows were suspect. */
  suspects = 0;
  /** Where the last row ends, suspects and blank ones counted. */
  end: number | undefined;
  /** The filled cells of all of them, and the fewest in one. */
  cells = 0;
  least = Infinity;
  /** True as long as the first cell of each holds a digit, or is blank. */
  areNumbered = true;
  /** Columns that none of them leaves blank. */
  #full: readonly number[] = [];

  /** Notes the next row, of which `filled` cells are filled. */
  note(row: Row, filled: number, { width, nullsAt }: WatchedColumns): void {
    if (this.count === 0) this.#full = Array.from({ length: width }, (_, column) => column);
    this.count++;
    this.cells += filled;
    if (filled < this.least) this.least = filled;
    if (this.areNumbered) this.areNumbered = !isFilled(row, 0, nullsAt[0]) || holdsFigure(row, 0);
    if (filled === width || this.#full.length === 0) return;
    if (this.isEmptier(row, { nullsAt })) {
      this.#full = this.#full.filter((column) => isFilled(row, column, nullsAt[column]));
    }
  }

  /**
   * Notes so many rows, of which the emptiest has `least` filled cells and the last ends at `end`; none leaves a column of
   * {@link full} blank.
   */
  noteAll(count: number, cells: number, least: number, end: number): void {
    this.end = end;
    this.count += count;
    this.cells += cells;
    this.least = Math.min(this.least, least);
  }

  /** The columns that no row so far leaves blank. */
  get full(): readonly number[] {
    return this.#full;
  }

  /** True for a row that leaves one of some columns blank that every row so far fills. */
  leavesBlank(row: Row, columns: readonly number[], { nullsAt }: Pick<WatchedColumns, "nullsAt">): boolean {
    return columns.some((column) => this.#full.includes(column) && !isFilled(row, column, nullsAt[column]));
  }

  /** True for a row without a key, date or number that every row so far has. */
  lacksOwnData(row: Row, columns: WatchedColumns): boolean {
    const { key, dates, digits } = columns;
    return this.leavesBlank(row, [...dates, ...digits, ...(key === undefined ? [] : [key])], columns);
  }

  /** True for a row that leaves a column blank that every row so far fills. */
  isEmptier(row: Row, { nullsAt }: Pick<WatchedColumns, "nullsAt">): boolean {
    return this.count > 0 && this.#full.some((column) => !isFilled(row, column, nullsAt[column]));
  }
}

/** The columns in which a row has a value. */
export function filledColumns({ width, nullsAt }: WatchedColumns, row: Row): readonly number[] {
  const filled: number[] = [];
  const add = (column: number): void => {
    if (isFilled(row, column, nullsAt[column])) filled.push(column);
  };
  // A record has few of many members.
  if (row.columns !== undefined) row.columns.forEach(add);
  else {
    const cells = row.spans === undefined ? Math.min(width, row.cells.length) : width;
    for (let column = 0; column < cells; column++) add(column);
  }
  return filled;
}

/** True for a row with something to send. */
export function hasSent({ sent, nullsAt }: WatchedColumns, row: Row): boolean {
  for (const column of sent) if (isFilled(row, column, nullsAt[column])) return true;
  return false;
}

/** True for a row with a date and digits: a total never has both. */
export function hasOwnData({ dates, digits, nullsAt }: WatchedColumns, row: Row): boolean {
  const holds = (column: number): boolean => isFilled(row, column, nullsAt[column]);
  return dates.some(holds) && digits.some(holds);
}

/** The first column of a row that holds words and not an amount; `filled` are the row's filled columns. */
export function findFirstText(
  { width, nullsAt }: WatchedColumns,
  row: Row,
  filled: number,
  scan: AmountScan,
  texts: PlainTexts,
): number | undefined {
  let seen = 0;
  for (let column = 0; column < width && seen < filled; column++) {
    if (!isFilled(row, column, nullsAt[column])) continue;
    seen++;
    if (isPlainText(row, column, texts)) return column;
    const text = textAt(row, column);
    if ((holdsLetters(text) || isRemark(text)) && !reads(row, column, scan)) return column;
  }
  return undefined;
}

/** True for a cell whose bytes show that it begins with a letter and is no amount. */
function isPlainText({ spans, firstCell = 0 }: Row, column: number, texts: PlainTexts): boolean {
  const cell = firstCell + column;
  if (spans === undefined || (spans.marks[cell]! & (ESCAPED | NO_TEXT)) !== 0) return false;
  return texts.has(spans.bytes, spans.starts[cell]!, spans.ends[cell]!);
}

/** True for an amount. A number in a column of digits or dates is not one. */
export function isAmount(
  { dates, digits }: WatchedColumns,
  row: Row,
  column: number,
  scan: AmountScan,
): boolean {
  return !dates.includes(column) && !digits.includes(column) && reads(row, column, scan);
}

/** True if a cell can be read as an amount, which is then in `scan`. */
export function reads(row: Row, column: number, scan: AmountScan): boolean {
  return scanAmountCell(cellOf(row, column), scan) === undefined;
}

/** The columns of an input, with what is needed to detect totals. */
export interface WatchedColumns {
  /** The number of columns, in use or not. */
  readonly width: number;
  /** The columns that are sent. */
  readonly sent: readonly number[];
  /** The column of the key. */
  readonly key: number | undefined;
  readonly dates: readonly number[];
  readonly digits: readonly number[];
  readonly amounts: readonly WatchedAmounts[];
  /** By column: the words that mean "no value", if there are any. */
  readonly nullsAt: readonly (NullWords | undefined)[];
}

/** The sum of a column over the rows so far. */
export interface SumSoFar {
  readonly sum: AmountSum;
  /** The decimal marks that its cells so far leave open; 0 if they are no amounts. */
  readonly marks: number;
  /** The pinned mark as a set; both marks if none is pinned. */
  readonly pinned: number;
}

/** A column of amounts, or one that may hold some. */
interface WatchedAmounts {
  readonly index: number;
  readonly field: string;
  readonly evidence: SumSoFar;
}

const BACKSLASH = 0x5c;

/** True if a cell of a row is filled; `nulls` are the words that mean "no value". */
export function isFilled(row: Row, column: number, nulls: NullWords | undefined): boolean {
  const { spans, firstCell = 0, width = 0 } = row;
  if (spans === undefined) return holdsText(cellOf(row, column), nulls);
  if (column >= width) return false;
  const start = spans.starts[firstCell + column]!;
  if (start >= spans.ends[firstCell + column]!) return false;
  const first = spans.bytes[start]!;
  // Hardly any cell begins with a space, so for most the first byte is enough, and no text has to be made.
  const isVisible = (first > 0x20 && first < 0x80) || first === LATIN_LETTERS;
  // A pair of quotes is a quote, but a backslash in JSON may stand for a space.
  const isPlain = isVisible && (first !== BACKSLASH || (spans.marks[firstCell + column]! & ESCAPED) === 0);
  if (isPlain && (nulls === undefined || nulls.firstBytes[first] === 0)) return true;
  return holdsText(cellOf(row, column), nulls);
}

/** How many of the first `width` cells of a row are filled. */
export function countFilled(row: Row, width: number, nullsAt: readonly (NullWords | undefined)[]): number {
  let filled = 0;
  if (row.columns !== undefined) {
    for (const column of row.columns) if (isFilled(row, column, nullsAt[column])) filled++;
    return filled;
  }
  const cells = row.spans === undefined ? Math.min(width, row.cells.length) : width;
  for (let column = 0; column < cells; column++) if (isFilled(row, column, nullsAt[column])) filled++;
  return filled;
}

function holdsText(cell: Cell, nulls: NullWords | undefined): boolean {
  if (cell === undefined || cell === null) return false;
  const text = cellText(cell);
  if (text === undefined) return true;
  return !isBlank(text) && nulls?.has(text) !== true && nulls?.has(trimSpaces(text)) !== true;
}

/** An amount with fewer digits than this, not counting zeros at the end, may equal a sum by chance. */
const SPECIFIC_FIGURES = 3;

/** The longest rate at the beginning, with its sign: `5,50 % TVA`. */
const LONGEST_RATE = 8;
const PERCENT = 0x25;

/** False if its bytes already show that a cell neither begins nor ends as a total does. */
export function mayNameTotal(row: Row, column: number): boolean {
  if (mayBegin(row, column)) return true;
  const { spans, firstCell = 0 } = row;
  const cell = firstCell + column;
  if (spans !== undefined && (spans.marks[cell]! & ESCAPED) === 0)
    return mayEndAsTotal(spans.bytes, spans.starts[cell]!, spans.ends[cell]!);
  const bytes = Buffer.from(textAt(row, column));
  return mayEndAsTotal(bytes, 0, bytes.length);
}

/** False if the first bytes of a cell already show that it does not begin with a phrase. */
function mayBegin(row: Row, column: number): boolean {
  const { spans, firstCell = 0 } = row;
  if (spans !== undefined && (spans.marks[firstCell + column]! & ESCAPED) === 0) {
    const start = spans.starts[firstCell + column]!;
    const end = spans.ends[firstCell + column]!;
    const first = spans.bytes[start]!;
    if (first >= 0x30 && first <= 0x39) {
      const rateEnd = Math.min(end, start + LONGEST_RATE);
      for (let at = start; at < rateEnd; at++) if (spans.bytes[at] === PERCENT) return true;
      return false;
    }
    return mayBePhrase(first, start + 1 < end ? spans.bytes[start + 1]! : 0x20);
  }
  const text = textAt(row, column);
  if (/^\d/.test(text)) return text.slice(0, LONGEST_RATE).includes("%");
  return mayBePhrase(text.charCodeAt(0), text.length > 1 ? text.charCodeAt(1) : 0x20);
}

/** True for a cell with a digit. */
export function holdsFigure(row: Row, column: number): boolean {
  const { spans, firstCell = 0 } = row;
  if (spans === undefined || (spans.marks[firstCell + column]! & ESCAPED) !== 0)
    return /\d/.test(textAt(row, column));
  const end = spans.ends[firstCell + column]!;
  for (let at = spans.starts[firstCell + column]!; at < end; at++) {
    const byte = spans.bytes[at]!;
    if (byte >= 0x30 && byte <= 0x39) return true;
  }
  return false;
}

/** True for an amount with several digits. */
export function isSpecific({ text, start, end }: AmountScan): boolean {
  return (
    text
      .slice(start, end)
      .replace(/\D/g, "")
      .replace(/^0+|0+$/g, "").length >= SPECIFIC_FIGURES
  );
}

/** The text of a cell without outer spaces. */
export function textAt(row: Row, column: number): string {
  return trimSpaces(cellText(cellOf(row, column)) ?? "");
}

/** False for a number with its currency, and for a date in digits. */
export function holdsLetters(text: string): boolean {
  return /\p{L}{2}/u.test(text) || /^\P{N}*\p{L}/u.test(text);
}

/** True for a cell of keys that says nothing about what keys look like: `(vide)`, `#N/A`. */
export function isNoKey(text: string): boolean {
  return isNoValue(text) || findDamage(text) !== undefined;
}
