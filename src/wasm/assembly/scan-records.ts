// The values of many records of JSON that are built like earlier ones.

import { bitsOf, isDigit } from "./cells";
import { ESCAPED, NO_TEXT } from "./rows";
import { bytes, maxCells, maxRowBytes, putCell, rows } from "./scan";

/** A record: the byte of its brace, the one after its end, and the line feeds before it. */
const RECORD_BYTES: usize = 12;

/**
 * A node, as the caller writes it into memory: number of its branches, number of its ends, then the branches, then the ends.
 * Each of them: where its bytes are, and their number; its line feeds, and the offset of the last one; the column and the
 * next node, or where the absent columns are and their number.
 */
const STEP_BYTES: usize = 24;
const LENGTH: usize = 4;
const LINES: usize = 8;
const LAST_LINE_END: usize = 12;
const COLUMN: usize = 16;
const NEXT: usize = 20;
const ABSENT_COLUMNS: usize = 16;
const ABSENT_COUNT: usize = 20;

const ABSENT: i32 = 8;

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;
const LF: u8 = 0x0a;
const COMMA: u8 = 0x2c;
const OPENING_BRACE: u8 = 0x7b;

let root: usize = 0;
let width: i32 = 0;
let areListed: bool = false;

/** Line feeds from the first record to the end of the last one that was found, and where the last of them is. */
export let lines: i32 = 0;
export let lastLineEnd: i32 = 0;

/** Those with the record that is being scanned. */
let linesSoFar: i32 = 0;
let lastSoFar: i32 = 0;

/** `areListed_`: false if no commas are between the records. */
export function setShapes(root_: usize, width_: i32, areListed_: bool): void {
  root = root_;
  width = width_;
  areListed = areListed_;
}

/**
 * Finds the values of the records from the brace at `from` on, and returns how many records it found. It ends before one
 * that needs a closer look: one that is built like no earlier one, or has another value than a plain one.
 */
export function scanRecords(from: usize, maxRows: i32): i32 {
  let at = from;
  lines = 0;
  linesSoFar = 0;
  let count = 0;
  while (count < maxRows && (count + 1) * width <= maxCells && load<u8>(bytes + at) == OPENING_BRACE) {
    const linesBefore = linesSoFar;
    const stop = scanRecord(bytes + at, count * width);
    const end = stop - bytes;
    if (stop == 0 || end - at > maxRowBytes) return count;
    const record = rows + usize(count) * RECORD_BYTES;
    store<i32>(record, i32(at));
    store<i32>(record, i32(end), 4);
    store<i32>(record, linesBefore, 8);
    count += 1;
    lines = linesSoFar;
    lastLineEnd = lastSoFar;
    at = skipBlanks(end);
    if (!areListed) continue;
    if (load<u8>(bytes + at) != COMMA) return count;
    at = skipBlanks(at + 1);
  }
  return count;
}

function skipBlanks(from: usize): usize {
  let at = from;
  let code = load<u8>(bytes + at);
  while (code == LF || code == 0x20 || code == 0x09) {
    if (code == LF) {
      linesSoFar += 1;
      lastSoFar = i32(at);
    }
    at += 1;
    code = load<u8>(bytes + at);
  }
  return at;
}

/** Returns where the record ends; 0 if it needs a closer look. */
function scanRecord(start: usize, firstCell: i32): usize {
  let node = root;
  let at = start;
  for (;;) {
    const branches = node + 8;
    const branchesEnd = branches + usize(load<i32>(node)) * STEP_BYTES;
    const branch = findStep(branches, branchesEnd, at);
    if (branch == branchesEnd) break;
    at = pass(branch, at);
    at = takeValue(at, firstCell + load<i32>(branch, COLUMN));
    if (at == 0) return 0;
    node = load<usize>(branch, NEXT);
  }
  const tails = node + 8 + usize(load<i32>(node)) * STEP_BYTES;
  const tailsEnd = tails + usize(load<i32>(node, 4)) * STEP_BYTES;
  const tail = findStep(tails, tailsEnd, at);
  if (tail == tailsEnd) return 0;
  let absent = load<usize>(tail, ABSENT_COLUMNS);
  for (let left = load<i32>(tail, ABSENT_COUNT); left > 0; left--) {
    putCell(firstCell + load<i32>(absent), 0, 0, u8(ABSENT | NO_TEXT));
    absent += 4;
  }
  return pass(tail, at);
}

/** The first step from `step` to `end` whose bytes are at `at`; `end` if there is none. */
function findStep(step: usize, end: usize, at: usize): usize {
  while (step < end && !holds(at, load<usize>(step), load<i32>(step, LENGTH))) step += STEP_BYTES;
  return step;
}

/** True if the bytes at `at` are those at `sought`. */
function holds(at: usize, sought: usize, length: i32): bool {
  for (let left = length; left > 0; left -= 16) {
    const differ = ~i8x16.bitmask(i8x16.eq(v128.load(at), v128.load(sought)));
    if ((differ & bitsOf(left)) != 0) return false;
    at += 16;
    sought += 16;
  }
  return true;
}

/** Returns what follows the bytes of a step. */
function pass(step: usize, at: usize): usize {
  const count = load<i32>(step, LINES);
  if (count > 0) {
    linesSoFar += count;
    lastSoFar = i32(at - bytes) + load<i32>(step, LAST_LINE_END);
  }
  return at + usize(load<i32>(step, LENGTH));
}

/** Returns what follows the value; 0 if it needs a closer look. */
function takeValue(start: usize, cell: i32): usize {
  const first = load<u8>(start);
  if (first == QUOTE) return takeString(start + 1, cell);
  if (first == 0x2d || isDigit(first)) return takeNumber(start, cell);
  const word = load<u32>(start);
  const isFalse = first == 0x66 && load<u32>(start, 1) == 0x65736c61;
  const isNull = word == 0x6c6c756e;
  if (!isFalse && !isNull && word != 0x65757274) return 0;
  const end = start + (isFalse ? 5 : 4);
  putCell(cell, start - bytes, isNull ? start - bytes : end - bytes, u8(NO_TEXT));
  return end;
}

function takeString(start: usize, cell: i32): usize {
  let at = endOfRun(start);
  let mark = 0;
  while (load<u8>(at) == BACKSLASH) {
    const escape = escapeBytes(at);
    if (escape == 0) return 0;
    mark = ESCAPED;
    at = endOfRun(at + escape);
  }
  if (load<u8>(at) != QUOTE) return 0;
  putCell(cell, start - bytes, at - bytes, u8(mark));
  return at + 1;
}

/** The first byte from `from` on that is not plain text of a string. */
function endOfRun(from: usize): usize {
  let at = from;
  let odd = oddBytes(at);
  while (odd == 0) {
    at += 16;
    odd = oddBytes(at);
  }
  return at + ctz(odd);
}

/** The bytes among 16 that are not plain text of a string, as bits. */
function oddBytes(at: usize): i32 {
  const some = v128.load(at);
  const quotes = i8x16.eq(some, i8x16.splat(QUOTE));
  const backslashes = i8x16.eq(some, i8x16.splat(BACKSLASH));
  return i8x16.bitmask(v128.or(v128.or(quotes, backslashes), i8x16.lt_u(some, i8x16.splat(0x20))));
}

/** The length of an escape; 0 if it is none, or may be half a surrogate pair. */
function escapeBytes(at: usize): usize {
  const code = load<u8>(at, 1);
  if (code == 0x75) {
    for (let digit = at + 2; digit < at + 6; digit++) if (!isHexDigit(load<u8>(digit))) return 0;
    return (load<u8>(at, 2) | 0x20) == 0x64 && load<u8>(at, 3) > 0x37 ? 0 : 6;
  }
  const isKnown =
    code == QUOTE ||
    code == BACKSLASH ||
    code == 0x2f ||
    code == 0x62 ||
    code == 0x66 ||
    code == 0x6e ||
    code == 0x72 ||
    code == 0x74;
  return isKnown ? 2 : 0;
}

function isHexDigit(code: u8): bool {
  return isDigit(code) || u8((code | 0x20) - 0x61) <= 5;
}

/** An exponent is left, and no step begins with one. */
function takeNumber(start: usize, cell: i32): usize {
  let at = load<u8>(start) == 0x2d ? start + 1 : start;
  const whole = at;
  at = skipDigits(at);
  if (at == whole || (load<u8>(whole) == 0x30 && at > whole + 1)) return 0;
  if (load<u8>(at) == 0x2e) {
    const decimals = at + 1;
    at = skipDigits(decimals);
    if (at == decimals) return 0;
  }
  putCell(cell, start - bytes, at - bytes, u8(NO_TEXT));
  return at;
}

function skipDigits(from: usize): usize {
  let at = from;
  while (isDigit(load<u8>(at))) at += 1;
  return at;
}
