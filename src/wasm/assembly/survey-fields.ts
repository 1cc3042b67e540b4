// The fields of a survey: how they are in memory, and what their cells add to it.

import { decimals, form, scanAmount, units } from "./amounts";
import { isDigit, isPlainText } from "./cells";
import { AMOUNT, DIGITS, TEXT } from "./rows";

/** A field, as the caller writes it into memory: `FIELD_BYTES` each, 32-bit integers. */
export const FIELD_BYTES: usize = 48;
export const KIND: usize = 0;
export const INDEX: usize = 4;
export const IS_REQUIRED: usize = 8;
/** -1 if there is none. */
export const SCALE: usize = 12;
/** See `write-rows.ts`. */
export const NULL_BYTES: usize = 16;
/** 0 once enough samples are kept; otherwise where the samples so far are: their number, and the length and bytes of each. */
export const SAMPLES: usize = 20;
/** What is known of its cells: dates, digits by width, sums of amounts and of texts that are numbers. */
export const STATE: usize = 24;
/** In how many rows it has a value. */
export const FILLED: usize = 28;
/** What the cell of the current row holds: units of an amount (64 bits), then its decimals, or the width of digits. */
export const UNITS: usize = 32;
export const DECIMALS: usize = 40;
/** Of a text: what the cells of its column are so far. */
const WAY: usize = 44;
/** Anything else, of which nothing has to be known any more but JSON's false. */
const OTHERS: i32 = 1;
/** The same where false is a value, as true is. */
const TRUTHS: i32 = 2;
/** Amounts, none of which is a number of JSON; all of which may be. Below that it is not certain yet. */
const AMOUNTS: i32 = 3;
const NUMBERS: i32 = 4;

/** Digits of the greatest width that is told apart, and those that are longer. */
export const MOST_WIDTH: i32 = 64;
const WIDTH_LINES: usize = 65 * 4;

/** Of amounts: by form, 1 if it is known; 1 if a number of JSON has decimals; by number of decimals, the sum, how many, and how many that are not zero. */
const HAS_DECIMALS: usize = 15;
const SUMS: usize = 16;
const COUNTS: usize = SUMS + 16 * 8;
const NON_ZERO: usize = COUNTS + 16 * 4;

/** False for a cell of a text that needs a closer look. */
export function takeText(field: usize, start: usize, end: usize, isText: bool): bool {
  const way = load<i32>(field, WAY);
  const first = load<u8>(start);
  if (way == OTHERS || way == TRUTHS) {
    store<i32>(field, 0, DECIMALS);
    if (isText) return isPlainText(start, end);
    return isDigit(first) || first == 0x2d || (way == TRUTHS && (first == 0x74 || first == 0x66));
  }
  if (way < AMOUNTS || !scanAmount(start, end)) return false;
  const state = load<usize>(field, STATE);
  if (isText ? load<u8>(state + form) == 0 : way != NUMBERS) return false;
  if (!isText && decimals > 0 && load<u8>(state, HAS_DECIMALS) == 0) return false;
  store<i64>(field, units, UNITS);
  store<i32>(field, decimals, DECIMALS);
  return true;
}

/** Adds what the cells of a plain row hold, whose fields are those from `fields` to `end`. */
export function addCells(fields: usize, end: usize, line: i32): void {
  for (let field = fields; field < end; field += FIELD_BYTES) {
    const found = load<i32>(field, DECIMALS);
    if (found < 0) continue;
    store<i32>(field, load<i32>(field, FILLED) + 1, FILLED);
    const kind = load<i32>(field, KIND);
    const state = load<usize>(field, STATE);
    if (kind == DIGITS) {
      const at = state + (usize(found) << 2);
      const count = load<i32>(at);
      if (count == 0) store<i32>(at, line, WIDTH_LINES);
      store<i32>(at, count + 1);
    } else if (kind == AMOUNT || (kind == TEXT && load<i32>(field, WAY) >= AMOUNTS)) {
      const amount = load<i64>(field, UNITS);
      const at = state + (usize(found) << 2);
      store<i32>(at, load<i32>(at, COUNTS) + 1, COUNTS);
      if (amount == 0) continue;
      store<i32>(at, load<i32>(at, NON_ZERO) + 1, NON_ZERO);
      const sum = state + (usize(found) << 3);
      store<i64>(sum, load<i64>(sum, SUMS) + amount, SUMS);
    }
  }
}
