// What the cells of plain rows may hold; the rules are those of the modules that read cells one by one.

/** A date: its bytes in a cell (10), the bytes of its value (10), the forms in which it is known: 0 if the slot is free. */
const DATE_SLOT_BYTES: usize = 32;
const DATE_SLOTS: u32 = 8192;
export const DATE_BYTES: i32 = 10;

/** The lowest bits, as many as there are bytes left, 16 at most. */
export function bitsOf(left: i32): i32 {
  return left >= 16 ? 0xffff : (1 << left) - 1;
}

export function isBetween(some: v128, low: i8, high: i8): v128 {
  return i8x16.le_u(i8x16.sub(some, i8x16.splat(low)), i8x16.splat(high - low));
}

export function isDigit(code: u8): bool {
  return code - 0x30 <= 9;
}

/** The slot of the date of ten bytes, or the one where it would go. */
export function dateSlot(dates: usize, head: u64, rest: u16): usize {
  let slot = u32(((head ^ (u64(rest) << 24)) * 0x9e3779b97f4a7c15) >> 48) & (DATE_SLOTS - 1);
  let at = dates + usize(slot) * DATE_SLOT_BYTES;
  while (load<u8>(at, 20) != 0 && (load<u64>(at) != head || load<u16>(at, 8) != rest)) {
    slot = (slot + 1) & (DATE_SLOTS - 1);
    at = dates + usize(slot) * DATE_SLOT_BYTES;
  }
  return at;
}

/** Remembers the date of the 10 bytes at `cell`, whose value are the 10 bytes at `value`, in some forms. */
export function addDate(dates: usize, cell: usize, value: usize, forms: i32): void {
  const slot = dateSlot(dates, load<u64>(cell), load<u16>(cell, 8));
  store<u64>(slot, load<u64>(cell));
  store<u16>(slot, load<u16>(cell, 8), 8);
  store<u64>(slot, load<u64>(value), 10);
  store<u16>(slot, load<u16>(value, 8), 18);
  store<u8>(slot, u8(i32(load<u8>(slot, 20)) | forms), 20);
}

/** The forms in which the date of a slot is known; 0 if there is none. */
export function formsOf(slot: usize): i32 {
  return i32(load<u8>(slot, 20));
}

/**
 * The forms of a date, of which one must be known for a cell to need no closer look: alone (1), or before a clock, at midnight (2) or at any other time (4), as
 * `dateFormOf` of `seen-dates.ts` tells them. 0 for anything else.
 */
export function formsLike(start: usize, end: usize): i32 {
  const length = i32(end - start);
  if (length == DATE_BYTES) return 1;
  if (length != DATE_BYTES + 9) return 0;
  const letter = load<u8>(start, 10);
  if (letter != 0x54 && letter != 0x20) return 0;
  const clock = start + 11;
  if (load<u8>(clock, 2) != 0x3a || load<u8>(clock, 5) != 0x3a) return 0;
  const hour = pairAt(clock);
  const minute = pairAt(clock + 3);
  const second = pairAt(clock + 6);
  if (hour > 23 || minute > 59 || second > 59) return 0;
  return hour + minute + second == 0 ? 6 : 4;
}

/** The value of two digits, more than any of a clock for anything else. */
function pairAt(at: usize): i32 {
  const tens = load<u8>(at);
  const ones = load<u8>(at, 1);
  return isDigit(tens) && isDigit(ones) ? i32(tens - 0x30) * 10 + i32(ones - 0x30) : 100;
}

/** Where the value of its date is. */
export function valueOf(slot: usize): usize {
  return slot + 10;
}

/** True for ASCII digits. */
export function areDigits(start: usize, end: usize): bool {
  for (let at = start; at < end; at += 16) {
    const bits = bitsOf(i32(end - at));
    if ((i8x16.bitmask(isBetween(v128.load(at), 0x30, 0x39)) & bits) != bits) return false;
  }
  return true;
}

/** True for a key that `writeKey` of `cell-writers.ts` writes. */
export function isPlainKey(start: usize, end: usize): bool {
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

/** True for a text that begins with `null`, `nan`, `nat` or `undefined` as `beginsWithNoValue` of `plain-texts.ts` tells it. */
function beginsWithNoValue(start: usize, end: usize): bool {
  const length = i32(end - start);
  // In lower case, the first letter lowest.
  const four = load<u32>(start) | 0x20202020;
  const three = four & 0xffffff;
  if (length >= 3 && (three == 0x6e616e || three == 0x74616e) && endsWord(start + 3, end)) return true;
  if (length >= 4 && four == 0x6c6c756e && endsWord(start + 4, end)) return true;
  const eight = load<u64>(start) | 0x2020202020202020;
  return (
    length >= 9 &&
    eight == 0x656e696665646e75 &&
    (load<u8>(start, 8) | 0x20) == 0x64 &&
    endsWord(start + 9, end)
  );
}

function endsWord(at: usize, end: usize): bool {
  if (at == end) return true;
  const letter = load<u8>(at) | 0x20;
  return letter < 0x61 || letter > 0x7a;
}

/** True for a text that `mayBeCutNumber` of `plain-cells.ts` tells from others. */
function mayBeCutNumber(start: usize, end: usize): bool {
  let exponents: i32 = 0;
  let signs: i32 = 0;
  for (let at = start; at < end; at += 16) {
    const some = v128.load(at);
    const bits = bitsOf(i32(end - at));
    const exponent = i8x16.eq(v128.or(some, i8x16.splat(0x20)), i8x16.splat(0x65));
    if ((i8x16.bitmask(v128.or(exponent, isBetween(some, 0x2b, 0x39))) & bits) != bits) return false;
    exponents |= i8x16.bitmask(exponent) & bits;
    signs |= i8x16.bitmask(isBetween(some, 0x2b, 0x2f)) & bits;
  }
  return exponents != 0 && signs != 0;
}

/** True for a text that `takePlainText` of `plain-cells.ts` takes, whatever its column holds. */
export function isPlainText(start: usize, end: usize): bool {
  const first = load<u8>(start);
  const letter = first | 0x20;
  const isLetter = letter >= 0x61 && letter <= 0x7a;
  const second = start + 1 < end ? load<u8>(start, 1) : 0;
  const startsLatin = first == 0xc3 && second != 0x97 && second != 0xb7;
  const startsNumber = isDigit(first) || first == 0x2b || first == 0x2d;
  if (!isLetter && !startsLatin && !startsNumber) return false;
  if ((letter == 0x6e || letter == 0x75) && beginsWithNoValue(start, end)) return false;
  if (startsNumber && mayBeCutNumber(start, end)) return false;
  for (let at = start; at < end; at += 16) {
    const some = v128.load(at);
    const bits = bitsOf(i32(end - at));
    let latin = i8x16.bitmask(i8x16.eq(some, i8x16.splat(i8(0xc3)))) & bits;
    while (latin != 0) {
      const found = at + ctz(latin);
      const behind = load<u8>(found, 1);
      if (
        (behind == 0x83 || behind == 0x82 || behind == 0xa2) &&
        found + 2 < end &&
        load<u8>(found, 2) >= 0x80
      )
        return false;
      latin &= latin - 1;
    }
  }
  return true;
}

/** True for a cell that is one of the samples: their number, and the length and bytes of each. */
export function isAmong(samples: usize, start: usize, end: usize): bool {
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
