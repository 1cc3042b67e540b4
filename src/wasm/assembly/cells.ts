// What the cells of plain rows may hold; the rules are those of the modules that read cells one by one.

/** A date: the bytes of its cell (10), the bytes of its value (10), 1 if the slot is taken. */
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

export function isWhole(group: i32, run: i32): bool {
  return group == 0 ? run > 0 : run == 3;
}

export function spaceAt(at: usize, end: usize, code: u8): i32 {
  if (code == 0x20) return 1;
  if (code == 0xc2) return at + 1 < end && load<u8>(at, 1) == 0xa0 ? 2 : 0;
  return code == 0xe2 && at + 2 < end && load<u8>(at, 1) == 0x80 && load<u8>(at, 2) == 0xaf ? 3 : 0;
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

/** Remembers the date of the 10 bytes at `cell`, whose value are the 10 bytes at `value`. */
export function addDate(dates: usize, cell: usize, value: usize): void {
  const slot = dateSlot(dates, load<u64>(cell), load<u16>(cell, 8));
  store<u64>(slot, load<u64>(cell));
  store<u16>(slot, load<u16>(cell, 8), 8);
  store<u64>(slot, load<u64>(value), 10);
  store<u16>(slot, load<u16>(value, 8), 18);
  store<u8>(slot, 1, 20);
}

/** True if a slot holds a date. */
export function isTaken(slot: usize): bool {
  return load<u8>(slot, 20) != 0;
}

/** Where the value of its date is. */
export function valueOf(slot: usize): usize {
  return slot + 10;
}
