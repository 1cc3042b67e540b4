// Amounts of digits, perhaps grouped by one kind of space, with at most one mark.

import { isDigit } from "./cells";

const MOST_DIGITS: i32 = 15;

/** The amount that was scanned last: without its mark, its decimals, and its form as `PlainAmount` numbers them. */
export let units: i64 = 0;
export let decimals: i32 = 0;
export let form: i32 = 0;

/** As in `plain-amount.ts`. */
export function scanAmount(start: usize, end: usize): bool {
  const isNegative = load<u8>(start) == 0x2d;
  const first = isNegative ? start + 1 : start;
  let all: i64 = 0;
  let digits = 0;
  let group = 0;
  let run = 0;
  let mark = 0;
  let whole = 0;
  for (let at = first; at < end; at++) {
    const code = load<u8>(at);
    if (isDigit(code)) {
      all = all * 10 + i64(code - 0x30);
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
      if (!mayGroup(space, group, load<u8>(first), run)) return false;
      group = space;
      run = 0;
      at += space - 1;
    }
  }
  if (mark == 0 ? !isWhole(group, run) : run == 0) return false;
  // A lone mark before three digits may group them.
  if (mark != 0 && group == 0 && run == 3 && whole <= 3) return false;
  if (mark == 0) whole = digits;
  units = isNegative ? -all : all;
  decimals = mark == 0 ? 0 : run;
  form = mark * 4 + (group != 0 ? 2 : whole > 3 ? 1 : 0);
  return true;
}

/** As in `plain-amount.ts`. */
function mayGroup(space: i32, group: i32, first: u8, run: i32): bool {
  if (space == 0) return false;
  if (group != 0) return run == 3 && space == group;
  return run >= 1 && run <= 3 && !(run == 1 && first == 0x30);
}

/** As `amountWriter` of `cell-writers.ts` writes it; 0 if it needs a closer look. */
export function writeAmount(start: usize, end: usize, at: usize, decimalSign: u8, scale: i32): usize {
  const isNegative = load<u8>(start) == 0x2d;
  let whole = at;
  if (isNegative) {
    store<u8>(at, 0x2d);
    start += 1;
    whole += 1;
  }
  const firstCode = start < end ? load<u8>(start) : 0;
  let to = whole;
  let isZero = true;
  let hasMark = false;
  let group: i32 = 0;
  let run: i32 = 0;
  for (let from = start; from < end; from++) {
    const code = load<u8>(from);
    if (isDigit(code)) {
      if (to == whole + 1 && load<u8>(whole) == 0x30) to = whole;
      store<u8>(to, code);
      to += 1;
      run += 1;
      if (code != 0x30) isZero = false;
    } else if (hasMark) return 0;
    else if (code == 0x2e || code == 0x2c) {
      if (code != decimalSign || !isWhole(group, run)) return 0;
      store<u8>(to, 0x2e);
      to += 1;
      hasMark = true;
      run = 0;
    } else {
      const space = spaceAt(from, end, code);
      if (!mayGroup(space, group, firstCode, run)) return 0;
      group = space;
      run = 0;
      from += space - 1;
    }
  }
  if (hasMark ? run == 0 : !isWhole(group, run)) return 0;
  if (isNegative && isZero) return 0;
  const places = hasMark ? run : 0;
  if (scale < 0 || places == scale) return to;
  if (places > scale) return 0;
  if (places == 0) {
    store<u8>(to, 0x2e);
    to += 1;
  }
  for (let count = places; count < scale; count++) {
    store<u8>(to, 0x30);
    to += 1;
  }
  return to;
}

function isWhole(group: i32, run: i32): bool {
  return group == 0 ? run > 0 : run == 3;
}

function spaceAt(at: usize, end: usize, code: u8): i32 {
  if (code == 0x20) return 1;
  if (code == 0xc2) return at + 1 < end && load<u8>(at, 1) == 0xa0 ? 2 : 0;
  return code == 0xe2 && at + 2 < end && load<u8>(at, 1) == 0x80 && load<u8>(at, 2) == 0xaf ? 3 : 0;
}
