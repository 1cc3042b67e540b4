// What many plain rows of a survey tell: the evidence of each cell, and what the totals have to know of each row.

import { decimals, form, scanAmount, units } from "./amounts";
import { areDigits, dateSlot, formsLike, formsOf, isAmong, isDigit, isPlainKey } from "./cells";
import { addKey, mayNameTotal, startKeys } from "./keys";
import {
  addCells,
  DECIMALS,
  FIELD_BYTES,
  FILLED,
  INDEX,
  IS_REQUIRED,
  KIND,
  MOST_WIDTH,
  NULL_BYTES,
  SAMPLES,
  SCALE,
  STATE,
  takeText,
  UNITS,
} from "./survey-fields";
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
} from "./rows";

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
      const forms = isText ? formsLike(start, end) : 0;
      if (forms == 0) return CLOSER_LOOK;
      const slot = dateSlot(load<usize>(field, STATE), load<u64>(start), load<u16>(start, 8));
      if ((formsOf(slot) & forms) == 0) return stopAtDate(i32(cell), i32((field - fields) / FIELD_BYTES));
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
  addCells(fields, fieldsEnd, line);
  if (hasKey) addKey(keyStart, keyEnd, number);
  filledCells += filled;
  if (filled < leastFilled) leastFilled = filled;
  return DONE;
}

/** True for a cell that is blank or holds a digit. */
function mayBeNumbered(cell: usize): bool {
  const end = bytes + load<i32>(ends + (cell << 2));
  let at = bytes + load<i32>(starts + (cell << 2));
  if (at == end) return true;
  while (at < end && !isDigit(load<u8>(at))) at += 1;
  return at < end;
}
