// The keys of plain rows: whether they may name a total, and what the survey has to know of them.

import { isDigit } from "./cells";

/** A rate at the beginning has its sign in so many bytes. */
const LONGEST_RATE: usize = 8;

/** A key: its hash in two halves; its row. */
const KEY_BYTES: usize = 12;

let keys: usize = 0;
/** The keys noted since the start, and whether each is greater than the one before. */
export let keyCount: i32 = 0;
export let areRising: bool = true;
let lastKey: usize = 0;
let lastKeyEnd: usize = 0;

/** Notes the next keys from `keys_` on. */
export function startKeys(keys_: usize): void {
  keys = keys_;
  keyCount = 0;
  areRising = true;
}

/**
 * False if its bytes show that a key neither begins nor ends as a total does. The tables say so by two bytes of ASCII: 1 if
 * the phrase of a total may begin or end with them.
 */
export function mayNameTotal(start: usize, end: usize, beginnings: usize, endings: usize): bool {
  const first = load<u8>(start);
  if (isDigit(first)) {
    for (let at = start; at < end && at < start + LONGEST_RATE; at++) if (load<u8>(at) == 0x25) return true;
  } else {
    const second = start + 1 < end ? load<u8>(start, 1) : 0x20;
    if (load<u8>(beginnings + ((usize(first) << 7) | second)) != 0) return true;
  }
  let to = end;
  while (to > start && load<u8>(to - 1) < 0x41) to -= 1;
  if (to - start < 2) return false;
  return load<u8>(endings + ((usize(load<u8>(to - 2)) << 7) | load<u8>(to - 1))) != 0;
}

/** Notes a key as `KeyTally` hashes it. */
export function addKey(keyStart: usize, keyEnd: usize, number: i32): void {
  const key = keys + usize(keyCount) * KEY_BYTES;
  let high: u32 = 0xdeadbeef;
  let low: u32 = 0x41c6ce57;
  for (let at = keyStart; at < keyEnd; at++) {
    const code = u32(load<u8>(at));
    high = (high ^ code) * 0x9e3779b1;
    low = (low ^ code) * 0x5f356495;
  }
  storeHash(key, high, low);
  store<i32>(key, number, 8);
  if (keyCount > 0 && areRising) areRising = isGreater(keyStart, keyEnd);
  lastKey = keyStart;
  lastKeyEnd = keyEnd;
  keyCount += 1;
}

/** True if the key is greater than the one before: longer keys are. */
function isGreater(keyStart: usize, keyEnd: usize): bool {
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
