// What many plain rows of a survey tell: the evidence of each cell, and what the totals have to know of each row.

import { bitsOf, DATE_BYTES, dateSlot, isBetween, isDigit, isTaken, isWhole, spaceAt } from "./cells";
import {
  AMOUNT,
  bytes,
  CLOSER_LOOK,
  DATE,
  DIGITS,
  DONE,
  ends,
  ESCAPED,
  KEY,
  marks,
  NEW_DATE,
  NO_TEXT,
  ROW_BYTES,
  rows,
  starts,
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
/**
 * What is known of its cells: dates, digits by width, sums of amounts; of a text, 1 if its column holds neither dates nor
 * amounts.
 */
const STATE: usize = 24;
/** In how many rows it has a value. */
const FILLED: usize = 28;
/** What the cell of the current row holds: units of an amount (64 bits), then its decimals, or the width of digits. */
const UNITS: usize = 32;
const DECIMALS: usize = 40;

/** Digits of the greatest width that is told apart, and those that are longer. */
const MOST_WIDTH: i32 = 64;
const WIDTH_LINES: usize = 65 * 4;

/** Of amounts: by form, 1 if it is known; by number of decimals, the sum, how many, and how many that are not zero. */
const SUMS: usize = 16;
const COUNTS: usize = SUMS + 16 * 8;
const NON_ZERO: usize = COUNTS + 16 * 4;
const MOST_DIGITS: i32 = 15;

/** Longer keys and digits need a closer look. */
const MOST_WRITTEN: usize = 1024;
/** A rate at the beginning has its sign in so many bytes. */
const LONGEST_RATE: usize = 8;

/** A key: two hashes in two halves, of itself and in upper case; its letters; its line; its row. */
const KEY_BYTES: usize = 28;
const UPPER: i32 = 1;
const LOWER: i32 = 2;

let fields: usize = 0;
let fieldsEnd: usize = 0;
let others: usize = 0;
let othersEnd: usize = 0;
let nameless: usize = 0;
let namelessEnd: usize = 0;
let hasExtras: bool = false;
/** By two bytes: 1 if the phrase of a total may begin or end with them. */
let beginnings: usize = 0;
let endings: usize = 0;
/** By column: 1 if no row has left it blank. */
let full: usize = 0;
/** The column whose cells all hold a digit; -1 if it need not be looked at. */
let numbered: i32 = -1;
let keys: usize = 0;

export let surveyReason: i32 = 0;
/** With NEW_DATE: the cell, and the field's number. */
export let newDateCell: i32 = 0;
export let newDateField: i32 = 0;
/** Of the rows that were gone through: the filled cells, the fewest in one, the keys, and whether each is greater than the one before. */
export let filledCells: i32 = 0;
export let leastFilled: i32 = 0;
export let keyCount: i32 = 0;
export let areRising: bool = true;

let keyStart: usize = 0;
let keyEnd: usize = 0;
let lastKey: usize = 0;
let lastKeyEnd: usize = 0;

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
  keyCount = 0;
  areRising = true;
  for (let field = fields; field < fieldsEnd; field += FIELD_BYTES) store<i32>(field, 0, FILLED);
  for (let row = from; row < end; row++) {
    surveyReason = surveyRow(rows + usize(row) * ROW_BYTES, row);
    if (surveyReason != DONE) return row;
  }
  surveyReason = DONE;
  return end;
}

function surveyRow(row: usize, number: i32): i32 {
  const firstCell = load<i32>(row);
  if (firstCell < 0) return CLOSER_LOOK;
  let filled = 0;
  let hasKey = false;
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
    if ((i32(load<u8>(marks + cell)) & (ESCAPED | NO_TEXT)) != 0) return CLOSER_LOOK;
    const nulls = load<usize>(field, NULL_BYTES);
    if (nulls != 0 && load<u8>(nulls + load<u8>(start)) != 0) return CLOSER_LOOK;
    const samples = load<usize>(field, SAMPLES);
    if (samples != 0 && !isAmong(samples, start, end)) return CLOSER_LOOK;
    filled += 1;
    const kind = load<i32>(field, KIND);
    if (kind == KEY) {
      if (!isPlainKey(start, end) || mayNameTotal(start, end)) return CLOSER_LOOK;
      hasKey = true;
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
      if (i32(end - start) != DATE_BYTES) return CLOSER_LOOK;
      if (!isTaken(dateSlot(load<usize>(field, STATE), load<u64>(start), load<u16>(start, 8)))) {
        newDateCell = i32(cell);
        newDateField = i32((field - fields) / FIELD_BYTES);
        return NEW_DATE;
      }
      hasDate = true;
      store<i32>(field, 0, DECIMALS);
    } else if (kind == AMOUNT) {
      if (!scanAmount(field, start, end)) return CLOSER_LOOK;
    } else {
      if (load<i32>(field, STATE) == 0 || !isPlainText(start, end)) return CLOSER_LOOK;
      store<i32>(field, 0, DECIMALS);
    }
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
  for (let column = nameless; column < namelessEnd; column += 4) {
    const cell = usize(firstCell + load<i32>(column)) << 2;
    if (load<i32>(starts + cell) != load<i32>(ends + cell)) return CLOSER_LOOK;
  }
  if (numbered >= 0 && !mayBeNumbered(usize(firstCell + numbered))) return CLOSER_LOOK;
  // A row without a key is certainly no total only if it has both; one with nothing but a key is no record, or a heading.
  if (hasKey ? filled == 1 || (!hasContent && !hasExtras) : !hasDate || !hasDigits) return CLOSER_LOOK;
  const line = load<i32>(row, 4);
  commit(line);
  if (hasKey) addKey(line, number);
  filledCells += filled;
  if (filled < leastFilled) leastFilled = filled;
  return DONE;
}

/** Adds what the cells of a plain row hold. */
function commit(line: i32): void {
  for (let field = fields; field < fieldsEnd; field += FIELD_BYTES) {
    const decimals = load<i32>(field, DECIMALS);
    if (decimals < 0) continue;
    store<i32>(field, load<i32>(field, FILLED) + 1, FILLED);
    const kind = load<i32>(field, KIND);
    const state = load<usize>(field, STATE);
    if (kind == DIGITS) {
      const at = state + (usize(decimals) << 2);
      const count = load<i32>(at);
      if (count == 0) store<i32>(at, line, WIDTH_LINES);
      store<i32>(at, count + 1);
    } else if (kind == AMOUNT) {
      const units = load<i64>(field, UNITS);
      const at = state + (usize(decimals) << 2);
      store<i32>(at, load<i32>(at, COUNTS) + 1, COUNTS);
      if (units == 0) continue;
      store<i32>(at, load<i32>(at, NON_ZERO) + 1, NON_ZERO);
      const sum = state + (usize(decimals) << 3);
      store<i64>(sum, load<i64>(sum, SUMS) + units, SUMS);
    }
  }
}

/** As in `plain-amount.ts`, for a form that is known. */
function scanAmount(field: usize, start: usize, end: usize): bool {
  const isNegative = load<u8>(start) == 0x2d;
  const first = isNegative ? start + 1 : start;
  let units: i64 = 0;
  let digits = 0;
  let group = 0;
  let run = 0;
  let mark = 0;
  let whole = 0;
  for (let at = first; at < end; at++) {
    const code = load<u8>(at);
    if (isDigit(code)) {
      units = units * 10 + i64(code - 0x30);
      digits += 1;
      run += 1;
      if (digits > MOST_DIGITS) return false;
    } else if (mark != 0) return false;
    else if (code == 0x2e || code == 0x2c) {
      if (!isWhole(group, run)) return false;
      mark = code == 0x2e ? 1 : 2;
      whole = digits;
      run = 0;
    } else {
      const space = spaceAt(at, end, code);
      if (space == 0) return false;
      if (
        group != 0 ? run != 3 || space != group : run < 1 || run > 3 || (run == 1 && load<u8>(first) == 0x30)
      )
        return false;
      group = space;
      run = 0;
      at += space - 1;
    }
  }
  if (mark == 0 ? !isWhole(group, run) : run == 0) return false;
  if (mark != 0 && group == 0 && run == 3 && whole <= 3) return false;
  if (mark == 0) whole = digits;
  const decimals = mark == 0 ? 0 : run;
  const scale = load<i32>(field, SCALE);
  if (scale >= 0 && decimals > scale) return false;
  const form = mark * 4 + (group != 0 ? 2 : whole > 3 ? 1 : 0);
  if (load<u8>(load<usize>(field, STATE) + form) == 0) return false;
  store<i64>(field, isNegative ? -units : units, UNITS);
  store<i32>(field, decimals, DECIMALS);
  return true;
}

/** True for one of the samples. */
function isAmong(samples: usize, start: usize, end: usize): bool {
  let at = samples + 4;
  for (let left = load<i32>(samples); left > 0; left--) {
    const length = load<i32>(at);
    at += 4;
    if (length == i32(end - start)) {
      let same = 0;
      while (same < length && load<u8>(at + same) == load<u8>(start + same)) same += 1;
      if (same == length) return true;
    }
    at += length;
  }
  return false;
}

function areDigits(start: usize, end: usize): bool {
  if (end - start > MOST_WRITTEN) return false;
  for (let at = start; at < end; at += 16) {
    const bits = bitsOf(i32(end - at));
    if ((i8x16.bitmask(isBetween(v128.load(at), 0x30, 0x39)) & bits) != bits) return false;
  }
  return true;
}

/** As in `writeKey`. */
function isPlainKey(start: usize, end: usize): bool {
  if (end - start > MOST_WRITTEN) return false;
  const first = load<u8>(start);
  if (first == 0x3d || first == 0x23 || first == 0x27) return false;
  const mayBeNumber = isDigit(first) || first == 0x2b || first == 0x2d;
  let digits = 0;
  for (let at = start; at < end; at += 16) {
    const some = v128.load(at);
    const bits = bitsOf(i32(end - at));
    const odd = v128.or(i8x16.eq(some, i8x16.splat(0x22)), i8x16.eq(some, i8x16.splat(0x5c)));
    if ((i8x16.bitmask(v128.andnot(isBetween(some, 0x21, 0x7e), odd)) & bits) != bits) return false;
    if (
      mayBeNumber &&
      (i8x16.bitmask(i8x16.eq(v128.or(some, i8x16.splat(0x20)), i8x16.splat(0x65))) & bits) != 0
    )
      return false;
    digits |= i8x16.bitmask(isBetween(some, 0x30, 0x39)) & bits;
  }
  return digits != 0;
}

/** False if its bytes show that a key neither begins nor ends as a total does. */
function mayNameTotal(start: usize, end: usize): bool {
  const first = load<u8>(start);
  if (isDigit(first)) {
    for (let at = start; at < end && at < start + LONGEST_RATE; at++) if (load<u8>(at) == 0x25) return true;
  } else {
    const second = start + 1 < end ? load<u8>(start, 1) : 0x20;
    if (load<u8>(beginnings + ((usize(first) << 8) | second)) != 0) return true;
  }
  let to = end;
  while (to > start && load<u8>(to - 1) < 0x41) to -= 1;
  if (to - start < 2) return false;
  return load<u8>(endings + ((usize(load<u8>(to - 2)) << 8) | load<u8>(to - 1))) != 0;
}

/** As in `plain-cells.ts`. */
function isPlainText(start: usize, end: usize): bool {
  const first = load<u8>(start);
  const letter = first | 0x20;
  const isLetter = letter >= 0x61 && letter <= 0x7a;
  const second = start + 1 < end ? load<u8>(start, 1) : 0;
  const startsLatin = first == 0xc3 && second != 0x97 && second != 0xb7;
  const startsDigit = isDigit(first);
  if (!isLetter && !startsLatin && !startsDigit) return false;
  // It may be a word for "no value".
  const next = second | 0x20;
  if (letter == 0x6e && (next == 0x75 || next == 0x61)) return false;
  if (letter == 0x75 && next == 0x6e) return false;
  for (let at = start; at < end; at += 16) {
    const some = v128.load(at);
    const bits = bitsOf(i32(end - at));
    if (
      startsDigit &&
      (i8x16.bitmask(i8x16.eq(v128.or(some, i8x16.splat(0x20)), i8x16.splat(0x65))) & bits) != 0
    )
      return false;
    let latin = i8x16.bitmask(i8x16.eq(some, i8x16.splat(i8(0xc3)))) & bits;
    while (latin != 0) {
      const behind = load<u8>(at + ctz(latin), 1);
      if (behind == 0x83 || behind == 0x82 || behind == 0xa2) return false;
      latin &= latin - 1;
    }
  }
  return true;
}

/** True for a cell that is blank or holds a digit. */
function mayBeNumbered(cell: usize): bool {
  const end = bytes + load<i32>(ends + (cell << 2));
  let at = bytes + load<i32>(starts + (cell << 2));
  if (at == end) return true;
  while (at < end && !isDigit(load<u8>(at))) at += 1;
  return at < end;
}

/** Notes a key as `KeyTally` and `SurveyedKeys` hash it. */
function addKey(line: i32, number: i32): void {
  const key = keys + usize(keyCount) * KEY_BYTES;
  let high: u32 = 0xdeadbeef;
  let low: u32 = 0x41c6ce57;
  let foldedHigh: u32 = high;
  let foldedLow: u32 = low;
  let letters = 0;
  for (let at = keyStart; at < keyEnd; at++) {
    const code = u32(load<u8>(at));
    high = (high ^ code) * 0x9e3779b1;
    low = (low ^ code) * 0x5f356495;
    const isLower = code >= 0x61 && code <= 0x7a;
    if (isLower) letters |= LOWER;
    else if (code >= 0x41 && code <= 0x5a) letters |= UPPER;
    const folded = isLower ? code - 0x20 : code;
    foldedHigh = (foldedHigh ^ folded) * 0x9e3779b1;
    foldedLow = (foldedLow ^ folded) * 0x5f356495;
  }
  storeHash(key, high, low);
  storeHash(key + 8, foldedHigh, foldedLow);
  store<i32>(key, letters, 16);
  store<i32>(key, line, 20);
  store<i32>(key, number, 24);
  if (keyCount > 0 && areRising) areRising = isGreater();
  lastKey = keyStart;
  lastKeyEnd = keyEnd;
  keyCount += 1;
}

/** True if the key is greater than the one before: longer keys are. */
function isGreater(): bool {
  const length = keyEnd - keyStart;
  const before = lastKeyEnd - lastKey;
  if (length != before) return length > before;
  let same: usize = 0;
  while (same < length && load<u8>(keyStart + same) == load<u8>(lastKey + same)) same += 1;
  return same < length && load<u8>(keyStart + same) > load<u8>(lastKey + same);
}

function storeHash(at: usize, rawHigh: u32, rawLow: u32): void {
  const high = mix(rawHigh ^ (rawLow * 0x85ebca6b));
  const low = mix(rawLow ^ (high * 0xc2b2ae35));
  store<u32>(at, high);
  store<u32>(at, high == 0 && low == 0 ? 1 : low, 4);
}

function mix(hash: u32): u32 {
  let mixed = (hash ^ (hash >> 16)) * 0x85ebca6b;
  mixed = (mixed ^ (mixed >> 13)) * 0xc2b2ae35;
  return mixed ^ (mixed >> 16);
}
