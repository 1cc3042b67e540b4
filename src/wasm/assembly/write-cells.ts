// How the cells of plain rows are written into records.

import { bitsOf, DATE_BYTES, dateSlot, formsLike, formsOf, isDigit, valueOf } from "./cells";

/** True for the first byte of a number, true or false. */
export function isBare(first: u8): bool {
  return isDigit(first) || first == 0x2d || first == 0x74 || first == 0x66;
}

/** Copies in steps of 16; what it writes too much is written over. */
export function copy(from: usize, length: i32, to: usize): usize {
  let done: usize = 0;
  do {
    v128.store(to + done, v128.load(from + done));
    done += 16;
  } while (done < usize(length));
  return to + length;
}

/** The end of a text of JSON without its quotes; 0 if it needs a closer look. */
export function writeText(start: usize, end: usize, at: usize): usize {
  let to = at;
  while (start < end) {
    const left = i32(end - start);
    const some = v128.load(start);
    const odd =
      i8x16.bitmask(
        v128.or(
          v128.or(i8x16.eq(some, i8x16.splat(0x22)), i8x16.eq(some, i8x16.splat(0x5c))),
          i8x16.lt_u(some, i8x16.splat(0x20)),
        ),
      ) & bitsOf(left);
    v128.store(to, some);
    if (odd == 0) {
      const done = left < 16 ? left : 16;
      start += done;
      to += done;
      continue;
    }
    const plain = ctz(odd);
    start += plain;
    to += plain;
    const letter = escapeLetter(load<u8>(start));
    if (letter == 0) return 0;
    store<u8>(to, 0x5c);
    store<u8>(to, letter, 1);
    start += 1;
    to += 2;
  }
  return to;
}

function escapeLetter(code: u8): u8 {
  if (code == 0x22 || code == 0x5c) return code;
  if (code == 0x08) return 0x62;
  if (code == 0x0c) return 0x66;
  if (code == 0x0a) return 0x6e;
  if (code == 0x0d) return 0x72;
  if (code == 0x09) return 0x74;
  return 0;
}

/** 0: needs a closer look; 1: a date that is not known yet. */
export function writeDate(start: usize, end: usize, at: usize, dates: usize): usize {
  if (formsLike(start, end) == 0) return 0;
  const slot = dateSlot(dates, load<u64>(start), load<u16>(start, 8));
  if (formsOf(slot) == 0) return 1;
  v128.store(at, v128.load(valueOf(slot)));
  return at + DATE_BYTES;
}
