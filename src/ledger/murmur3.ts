const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

/**
 * MurmurHash3 (x86, 128 bits, by A. Appleby) of `length` bytes starting at `from`; its four words, little endian, are
 * written at `at`.
 */
export function murmur3(
  bytes: DataView,
  from: number,
  length: number,
  target: DataView,
  at: number,
  seed = 0,
): void {
  // Otherwise V8 treats the four as wider than 32 bits, which takes twice as long.
  let h1 = seed | 0;
  let h2 = seed | 0;
  let h3 = seed | 0;
  let h4 = seed | 0;
  const end = from + length;
  let place = from;
  for (; place + 16 <= end; place += 16) {
    h1 ^= Math.imul(rotate(Math.imul(bytes.getInt32(place, true), C1), 15), C2);
    h1 = (Math.imul((rotate(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
    h2 ^= Math.imul(rotate(Math.imul(bytes.getInt32(place + 4, true), C2), 16), C3);
    h2 = (Math.imul((rotate(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
    h3 ^= Math.imul(rotate(Math.imul(bytes.getInt32(place + 8, true), C3), 17), C4);
    h3 = (Math.imul((rotate(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
    h4 ^= Math.imul(rotate(Math.imul(bytes.getInt32(place + 12, true), C4), 18), C1);
    h4 = (Math.imul((rotate(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  h1 ^= mix(wordAt(bytes, place, end), C1, 15, C2) ^ length;
  h2 ^= mix(wordAt(bytes, place + 4, end), C2, 16, C3) ^ length;
  h3 ^= mix(wordAt(bytes, place + 8, end), C3, 17, C4) ^ length;
  h4 ^= mix(wordAt(bytes, place + 12, end), C4, 18, C1) ^ length;
  const sum = (h1 + h2 + h3 + h4) | 0;
  h1 = spread(sum);
  h2 = spread((h2 + sum) | 0);
  h3 = spread((h3 + sum) | 0);
  h4 = spread((h4 + sum) | 0);
  const last = (h1 + h2 + h3 + h4) | 0;
  target.setInt32(at, last, true);
  target.setInt32(at + 4, (h2 + last) | 0, true);
  target.setInt32(at + 8, (h3 + last) | 0, true);
  target.setInt32(at + 12, (h4 + last) | 0, true);
}

/** Up to four bytes before `end`, padded with zeros. */
function wordAt(bytes: DataView, place: number, end: number): number {
  if (place + 4 <= end) return bytes.getInt32(place, true);
  let word = 0;
  for (let at = end - 1; at >= place; at--) word = (word << 8) | bytes.getUint8(at);
  return word;
}

function mix(word: number, by: number, bits: number, then: number): number {
  return Math.imul(rotate(Math.imul(word, by), bits), then);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function spread(word: number): number {
  let spread = word;
  spread = Math.imul(spread ^ (spread >>> 16), 0x85ebca6b);
  spread = Math.imul(spread ^ (spread >>> 13), 0xc2b2ae35);
  return spread ^ (spread >>> 16);
}
