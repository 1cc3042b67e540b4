// The records of many plain rows, written from the bytes of their cells.

import { writeAmount } from "./amounts";
import { areDigits, isPlainKey } from "./cells";
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
  NO_ROOM,
  NO_TEXT,
  reason,
  ROW_BYTES,
  rows,
  starts,
  stopAtDate,
  stopFor,
  TEXT,
} from "./rows";
import { copy, isBare, writeDate, writeText } from "./write-cells";

/** A field, as the caller writes it into memory: `FIELD_BYTES` each, 32-bit integers. */
const FIELD_BYTES: usize = 40;
const KIND: usize = 0;
const INDEX: usize = 4;
const IS_AWAITED: usize = 8;
/** The decimal sign; 0 if neither is certain. */
const SIGN: usize = 12;
/** -1 if there is none. */
const SCALE: usize = 16;
/** A table of 256 bytes, 1 for those with which a word for "no value" begins; 0 if there are no such words. */
const NULL_BYTES: usize = 20;
/** What comes before the value of a first member. That of a later one is one byte longer. */
const FIRST: usize = 24;
const NEXT: usize = 28;
const NEXT_BYTES: usize = 32;
const DATES: usize = 36;

/** A record: line, start in two halves, bytes of the row, bytes of the record, bytes of the key plus one. */
const RECORD_BYTES: usize = 24;

/** What an instance was given. */
let fields: usize = 0;
let fieldsEnd: usize = 0;
let tail: usize = 0;
let tailBytes: i32 = 0;
let hasExtras: bool = false;
let nameless: usize = 0;
let namelessEnd: usize = 0;
let fixedBytes: i32 = 0;

let textEnd: usize = 0;
let keysEnd: usize = 0;

/** Ends of what was written. */
export let textAt: usize = 0;
export let recordsAt: usize = 0;
export let keysAt: usize = 0;

export function setFields(
  fields_: usize,
  count: i32,
  tail_: usize,
  tailBytes_: i32,
  hasExtras_: bool,
  nameless_: usize,
  namelessCount: i32,
  fixedBytes_: i32,
): void {
  fields = fields_;
  fieldsEnd = fields_ + usize(count) * FIELD_BYTES;
  tail = tail_;
  tailBytes = tailBytes_;
  hasExtras = hasExtras_;
  nameless = nameless_;
  namelessEnd = nameless_ + (usize(namelessCount) << 2);
  fixedBytes = fixedBytes_;
}

export function setOutput(text_: usize, textBytes: i32, records_: usize, keys_: usize, keyBytes: i32): void {
  textEnd = text_ + textBytes;
  keysEnd = keys_ + keyBytes;
  textAt = text_;
  recordsAt = records_;
  keysAt = keys_;
}

/** Writes the records of rows `from` to `end`; returns the first row that was not written. */
export function writeRows(from: i32, end: i32): i32 {
  for (let row = from; row < end; row++) {
    stopFor(writeRow(rows + usize(row) * ROW_BYTES));
    if (reason != DONE) return row;
  }
  stopFor(DONE);
  return end;
}

function writeRow(row: usize): i32 {
  const firstCell = load<i32>(row);
  if (firstCell < 0) return CLOSER_LOOK;
  const rowBytes = load<i32>(row, 16);
  const at = textAt;
  if (
    i64(at) + fixedBytes + 6 * i64(rowBytes) > i64(textEnd) ||
    i64(keysAt) + i64(rowBytes) + 16 > i64(keysEnd)
  )
    return NO_ROOM;
  let to = at;
  let keyStart = at;
  let keyEnd = at;
  let givesValue = false;
  let hasContent = false;
  for (let field = fields; field < fieldsEnd; field += FIELD_BYTES) {
    const cell = firstCell + load<i32>(field, INDEX);
    const start = bytes + load<i32>(starts + (usize(cell) << 2));
    const stop = bytes + load<i32>(ends + (usize(cell) << 2));
    if (start == stop) {
      if (load<i32>(field, IS_AWAITED) != 0) return CLOSER_LOOK;
      continue;
    }
    const mark = i32(load<u8>(marks + cell));
    if ((mark & ESCAPED) != 0) return CLOSER_LOOK;
    const nulls = load<usize>(field, NULL_BYTES);
    const first = load<u8>(start);
    if (nulls != 0 && load<u8>(nulls + first) != 0) return CLOSER_LOOK;
    to =
      to == at
        ? copy(load<usize>(field, FIRST), load<i32>(field, NEXT_BYTES) - 1, to)
        : copy(load<usize>(field, NEXT), load<i32>(field, NEXT_BYTES), to);
    const kind = load<i32>(field, KIND);
    const isText = (mark & NO_TEXT) == 0;
    let behind: usize = 0;
    if (kind == AMOUNT)
      behind = writeAmount(
        start,
        stop,
        to,
        isText ? u8(load<i32>(field, SIGN)) : 0x2e,
        load<i32>(field, SCALE),
      );
    else if (kind == DATE) {
      if (!isText) return CLOSER_LOOK;
      behind = writeDate(start, stop, to, load<usize>(field, DATES));
      if (behind == 1) return stopAtDate(cell, i32((field - fields) / FIELD_BYTES));
    } else if (!isText && kind == TEXT) behind = isBare(first) ? copy(start, i32(stop - start), to) : 0;
    else if (!isText || kind == DIGITS)
      behind = areDigits(start, stop) ? copy(start, i32(stop - start), to) : 0;
    else if (kind == TEXT) behind = writeText(start, stop, to);
    else behind = isPlainKey(start, stop) ? copy(start, i32(stop - start), to) : 0;
    if (behind == 0) return CLOSER_LOOK;
    if (kind == KEY) {
      keyStart = to;
      keyEnd = behind;
    } else {
      givesValue = true;
      if (kind != TEXT || (first > 0x20 && first < 0x80)) hasContent = true;
    }
    to = behind;
  }
  const keyBytes = i32(keyEnd - keyStart);
  if (keyBytes == 0 ? !hasContent : !givesValue && !hasExtras) return CLOSER_LOOK;
  if (!areEmpty(firstCell, nameless, namelessEnd)) return CLOSER_LOOK;
  to = copy(tail, tailBytes, to);
  copy(keyStart, keyBytes, keysAt);
  keysAt += keyBytes;
  const record = recordsAt;
  store<u64>(record, load<u64>(row, 4));
  store<u64>(record, load<u64>(row, 12), 8);
  store<i32>(record, i32(to - at), 16);
  store<i32>(record, keyBytes == 0 ? 0 : keyBytes + 1, 20);
  recordsAt = record + RECORD_BYTES;
  store<u8>(to, 0x2c);
  textAt = to + 1;
  return DONE;
}
