import { scanAmountCell, ScannedAmount } from "../fields/amount/amount.ts";
import { scanDate, ScannedDate } from "../fields/date/date.ts";
import type { Suspects } from "../fields/odd/suspects.ts";
import type { RecPushError } from "../model/failure.ts";
import { QUOTED, type RowChunk, type RowList } from "../model/rows.ts";
import { quoteText } from "../model/text.ts";
import { inputError } from "../read/input-error.ts";

/** So many cells of the last column are kept: those of the first rows, then some of each chunk in their places. */
const MOST_CELLS = 4096;
const CELLS_A_CHUNK = 16;
/** An empty last cell looks cut beside so many other cells, a shorter one among codes with letters, and any. */
const MANY_CELLS = 20;
const SOME_CELLS = 3;
const LEAST_CELLS = 2;
/** The shortest code that may be cut, and the most values that a column may repeat. */
const LEAST_CODE = 4;
const MOST_VALUES = 8;

/** The last cell of the file. */
interface EndCell {
  readonly text: string;
  /** True if no line end follows, nor a quote. */
  readonly isOpen: boolean;
  readonly line: number;
  readonly start: number;
}

/**
 * Finds a CSV that was cut inside its last cell, such as `12` in a column of `1250,00`: it ends without a line end, and its last
 * cell is unlike its column. A cut before the last cell makes the row too short. Many programs write no line end at the
 * end, so that alone shows nothing.
 */
export class LastCell {
  readonly #file: string;
  readonly #others: string[] = [];
  #kept = 0;
  #last: EndCell | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Takes the next rows. */
  add({ rows, unreadable }: RowChunk): void {
    const last = rows.length - 1;
    if (last >= 0) {
      // The last row of the chunk before was not the last row of the file.
      if (this.#last !== undefined) this.#keep(this.#last.text);
      const wanted = this.#kept < MOST_CELLS ? last : Math.min(last, CELLS_A_CHUNK);
      for (let at = 0; at < wanted; at++) this.#keep(endCell(rows, at)?.text ?? "");
      this.#last = endCell(rows, last);
    }
    const isBehind = last < 0 || (unreadable.at(-1)?.start ?? -1) > rows.start(last);
    if (unreadable.length > 0 && isBehind) this.#last = undefined;
  }

  /** The question about a last cell that looks cut; `suspects`: rows that are asked about, or left out. */
  fault(suspects: Suspects | undefined): RecPushError | undefined {
    if (this.#last?.isOpen !== true) return undefined;
    const { text, line, start } = this.#last;
    if (suspects?.starts.at(-1) === start) return undefined;
    const why = whyCut(text.trim(), this.#others);
    if (why === undefined) return undefined;
    const what = `the file may have been cut: it ends without a line end, and its last cell ${quoteText(text)} ${why}`;
    const hint = "export the file again, or --whole if it is complete";
    return inputError({ file: this.#file, line }, "cut-file", what, { hint });
  }

  #keep(text: string): void {
    this.#others[this.#kept++ % MOST_CELLS] = text;
  }
}

function endCell(rows: RowList, at: number): EndCell | undefined {
  const spans = rows.spans(at);
  const first = rows.firstCell(at);
  const last = first + rows.width(at) - 1;
  if (last < first) return undefined;
  const isQuoted = (cell: number): boolean => (spans.marks[cell]! & QUOTED) !== 0;
  // Of a row without a line end, its cells take all bytes, but for the quote before the first.
  const bytes = spans.ends[last]! - spans.starts[first]! + (isQuoted(first) ? 1 : 0);
  const isOpen = !isQuoted(last) && rows.end(at) - rows.start(at) <= bytes;
  return { text: spans.text(last), isOpen, line: rows.line(at), start: rows.start(at) };
}

/** Why the last cell of a column looks cut; `undefined` if it does not. */
export function whyCut(last: string, column: readonly string[]): string | undefined {
  const others = column.map((text) => text.trim()).filter((text) => text !== "");
  if (others.length < LEAST_CELLS) return undefined;
  if (last === "")
    return others.length === column.length && others.length >= MANY_CELLS
      ? "is empty, where all others are filled"
      : undefined;
  if (others.every(isNumber)) {
    const least = Math.min(...others.map(countDecimals));
    if (least > 0 && countDecimals(last) < least) return "has fewer decimals than any other of its column";
  }
  if (others.every(isDate)) {
    const least = Math.min(...others.map(countLastDigits));
    if (!isDate(last)) return "is no date, as all others of its column are";
    if (countLastDigits(last) < least) return "has a shorter year than any other of its column";
  }
  return whyShort(last, others);
}

function whyShort(last: string, others: readonly string[]): string | undefined {
  const { length } = others[0]!;
  const areDigits = others.every((text) => /^\d+$/.test(text));
  const areCodes =
    length >= LEAST_CODE &&
    (areDigits || others.length >= SOME_CELLS) &&
    others.every((text) => text.length === length && /\d/.test(text) && countDecimals(text) === 0);
  if (areCodes && last.length < length) return "is shorter than all others of its column";
  const values = new Set(others);
  const areRepeated = values.size <= MOST_VALUES && others.length >= 2 * values.size;
  if (!areRepeated || values.has(last)) return undefined;
  const whole = [...values].find((text) => text.startsWith(last));
  return whole === undefined
    ? undefined
    : `is the beginning of ${quoteText(whole)}, which its column repeats`;
}

function isNumber(text: string): boolean {
  return scanAmountCell(text) instanceof ScannedAmount;
}

function isDate(text: string): boolean {
  return scanDate(text) instanceof ScannedDate;
}

function countDecimals(text: string): number {
  return /[.,](\d+)\D*$/.exec(text)?.[1]?.length ?? 0;
}

function countLastDigits(text: string): number {
  return /\d*$/.exec(text)![0].length;
}
