// What many plain rows of a survey tell: the evidence of each cell, and what the totals have to know of each row.

import { decimals, form, scanAmount, units } from "./amounts";
import { areDigits, DATE_BYTES, dateSlot, isAmong, isDigit, isPlainKey, isPlainText, isTaken } from "./cells";
import { addKey, mayNameTotal, startKeys } from "./keys";
import {
  AMOUNT,
  areEmpty,
  bytes,
  CLOSER_LOOK,
  DATE,
  DIGITS,
  DONE,
  ends,
  ESCAPED,
  KEY,
  marks,
  NO_TEXT,
  reason,
  ROW_BYTES,
  rows,
  starts,
  stopAtDate,
  stopFor,
  TEXT,
} from "./rows";

/** A field, as the caller writes it into memory: `FIELD_BYTES` each, 32-bit integers. */
const FIELD_BYTES: usize = 48;
const KIND: usize = 0;
const INDEX: usize = 4;
const IS_REQUIRED: usize = 8;
/** -1 if there is none. */
const SCALE: usize = 12;
/** See `write-rows.ts`. */
const NULL_BYTES: usize = 16;
/** 0 once enough samples are kept; otherwise where the samples so far are: their number, and the length and bytes of each. */
const SAMPLES: usize = 20;
/** What is known of its cells: dates, digits by width, sums of amounts and of texts that are numbers. */
const STATE: usize = 24;
/** In how many rows it has a value. */
const FILLED: usize = 28;
/** What the cell of the current row holds: units of an amount (64 bits), then its decimals, or the width of digits. */
const UNITS: usize = 32;
const DECIMALS: usize = 40;
/** Of a text: what the cells of its column are so far. */
const WAY: usize = 44;
/** Anything else, of which nothing has to be known any more. */
const OTHERS: i32 = 1;
/** Amounts, none of which is a number of JSON; all of which may be. Below that it is not certain yet. */
const AMOUNTS: i32 = 2;
const NUMBERS: i32 = 3;

/** Digits of the greatest width that is told apart, and those that are longer. */
const MOST_WIDTH: i32 = 64;
const WIDTH_LINES: usize = 65 * 4;

/** Of amounts: by form, 1 if it is known; 1 if a number of JSON has decimals; by number of decimals, the sum, how many, and how many that are not zero. */
const HAS_DECIMALS: usize = 15;
const SUMS: usize = 16;
const COUNTS: usize = SUMS + 16 * 8;
const NON_ZERO: usize = COUNTS + 16 * 4;

/** Longer keys and digits need a closer look. */
const MOST_WRITTEN: usize = 1024;
let fields: usize = 0;
let fieldsEnd: usize = 0;
let others: usize = 0;
let othersEnd: usize = 0;
let nameless: usize = 0;
let namelessEnd: usize = 0;
let hasExtras: bool = false;
/** By two bytes of ASCII: 1 if the phrase of a total may begin or end with them. */
let beginnings: usize = 0;
let endings: usize = 0;
/** By column: 1 if no row has left it blank. */
let full: usize = 0;
/** The column whose cells all hold a digit; -1 if it need not be looked at. */
let numbered: i32 = -1;
let keys: usize = 0;

/** Of the rows that were gone through: the filled cells, the fewest in one. */
export let filledCells: i32 = 0;
export let leastFilled: i32 = 0;

export function setColumns(
  fields_: usize,
  count: i32,
  others_: usize,
  otherCount: i32,
  nameless_: usize,
  namelessCount: i32,
  hasExtras_: bool,
  beginnings_: usize,
  endings_: usize,
  full_: usize,
  keys_: usize,
): void {
  fields = fields_;
  fieldsEnd = fields_ + usize(count) * FIELD_BYTES;
  others = others_;
  othersEnd = others_ + (usize(otherCount) << 3);
  nameless = nameless_;
  namelessEnd = nameless_ + (usize(namelessCount) << 2);
  hasExtras = hasExtras_;
  beginnings = beginnings_;
  endings = endings_;
  full = full_;
  keys = keys_;
}

/** Goes through rows `from` to `end`; returns the first that needs a closer look. */
export function surveyRows(from: i32, end: i32, numbered_: i32): i32 {
  numbered = numbered_;
  filledCells = 0;
  leastFilled = i32.MAX_VALUE;
  startKeys(keys);
  for (let field = fields; field < fieldsEnd; field += FIELD_BYTES) store<i32>(field, 0, FILLED);
  for (let row = from; row < end; row++) {
    stopFor(surveyRow(rows + usize(row) * ROW_BYTES, row));
    if (reason != DONE) return row;
  }
  stopFor(DONE);
  return end;
}

function surveyRow(row: usize, number: i32): i32 {
  const firstCell = load<i32>(row);
  if (firstCell < 0) return CLOSER_LOOK;
  let filled = 0;
  let keyStart: usize = 0;
  let keyEnd: usize = 0;
  let hasDate = false;
  let hasDigits = false;
  let hasContent = false;
  for (let field = fields; field < fieldsEnd; field += FIELD_BYTES) {
    const index = load<i32>(field, INDEX);
    const cell = usize(firstCell + index);
    const start = bytes + load<i32>(starts + (cell << 2));
    const end = bytes + load<i32>(ends + (cell << 2));
    store<i32>(field, -1, DECIMALS);
    if (start == end) {
      if (load<i32>(field, IS_REQUIRED) != 0 || load<u8>(full + index) != 0) return CLOSER_LOOK;
      continue;
    }
    const mark = i32(load<u8>(marks + cell));
    if ((mark & ESCAPED) != 0) return CLOSER_LOOK;
    const isText = (mark & NO_TEXT) == 0;
    const nulls = load<usize>(field, NULL_BYTES);
    if (nulls != 0 && load<u8>(nulls + load<u8>(start)) != 0) return CLOSER_LOOK;
    const samples = load<usize>(field, SAMPLES);
    if (samples != 0 && !isAmong(samples, start, end)) return CLOSER_LOOK;
    filled += 1;
    const kind = load<i32>(field, KIND);
    if ((kind == KEY || kind == DIGITS) && end - start > MOST_WRITTEN) return CLOSER_LOOK;
    if (kind == KEY) {
      if (!(isText ? isPlainKey(start, end) : areDigits(start, end))) return CLOSER_LOOK;
      if (mayNameTotal(start, end, beginnings, endings)) return CLOSER_LOOK;
      keyStart = start;
      keyEnd = end;
      store<i32>(field, 0, DECIMALS);
      continue;
    }
    hasContent = true;
    if (kind == DIGITS) {
      if (!areDigits(start, end)) return CLOSER_LOOK;
      hasDigits = true;
      const width = i32(end - start);
      store<i32>(field, width < MOST_WIDTH ? width : MOST_WIDTH, DECIMALS);
    } else if (kind == DATE) {
      if (!isText || i32(end - start) != DATE_BYTES) return CLOSER_LOOK;
      if (!isTaken(dateSlot(load<usize>(field, STATE), load<u64>(start), load<u16>(start, 8))))
        return stopAtDate(i32(cell), i32((field - fields) / FIELD_BYTES));
      hasDate = true;
      store<i32>(field, 0, DECIMALS);
    } else if (kind == AMOUNT) {
      const scale = load<i32>(field, SCALE);
      if (!scanAmount(start, end) || (scale >= 0 && decimals > scale)) return CLOSER_LOOK;
      if (isText && load<u8>(load<usize>(field, STATE) + form) == 0) return CLOSER_LOOK;
      store<i64>(field, units, UNITS);
      store<i32>(field, decimals, DECIMALS);
    } else if (!takeText(field, start, end, isText)) return CLOSER_LOOK;
  }
  for (let other = others; other < othersEnd; other += 8) {
    const index = load<i32>(other);
    const cell = usize(firstCell + index);
    const start = bytes + load<i32>(starts + (cell << 2));
    if (start == bytes + load<i32>(ends + (cell << 2))) {
      if (load<u8>(full + index) != 0) return CLOSER_LOOK;
      continue;
    }
    const first = load<u8>(start);
    const nulls = load<usize>(other, 4);
    if ((i32(load<u8>(marks + cell)) & ESCAPED) != 0 || (nulls != 0 && load<u8>(nulls + first) != 0))
      return CLOSER_LOOK;
    if ((first <= 0x20 || first >= 0x80) && first != 0xc3) return CLOSER_LOOK;
    filled += 1;
  }
  if (!areEmpty(firstCell, nameless, namelessEnd)) return CLOSER_LOOK;
  if (numbered >= 0 && !mayBeNumbered(usize(firstCell + numbered))) return CLOSER_LOOK;
  // A row without a key is certainly no total only if it has both.
  const hasKey = keyEnd != 0;
  if (hasKey ? !hasContent && !hasExtras : !hasDate || !hasDigits) return CLOSER_LOOK;
  const line = load<i32>(row, 4);
  commit(line);
  if (hasKey) addKey(keyStart, keyEnd, line, number);
  filledCells += filled;
  if (filled < leastFilled) leastFilled = filled;
  return DONE;
}

/** False for a cell of a text that needs a closer look. */
function takeText(field: usize, start: usize, end: usize, isText: bool): bool {
  const way = load<i32>(field, WAY);
  const first = load<u8>(start);
  if (way == OTHERS) {
    store<i32>(field, 0, DECIMALS);
    return isText ? isPlainText(start, end) : isDigit(first) || first == 0x2d;
  }
  if (way < AMOUNTS || !scanAmount(start, end)) return false;
  const state = load<usize>(field, STATE);
  if (isText ? load<u8>(state + form) == 0 : way != NUMBERS) return false;
  if (!isText && decimals > 0 && load<u8>(state, HAS_DECIMALS) == 0) return false;
  store<i64>(field, units, UNITS);
  store<i32>(field, decimals, DECIMALS);
  return true;
}

/** Adds what the cells of a plain row hold. */
function commit(line: i32): void {
  for (let field = fields; field < fieldsEnd; field += FIELD_BYTES) {
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

/** True for a cell that is blank or holds a digit. */
function mayBeNumbered(cell: usize): bool {
  const end = bytes + load<i32>(ends + (cell << 2));
  let at = bytes + load<i32>(starts + (cell << 2));
  if (at == end) return true;
  while (at < end && !isDigit(load<u8>(at))) at += 1;
  return at < end;
}
