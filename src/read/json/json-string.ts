const HALF_PAIR = /\p{Cs}/u;

function isWithin(byte: number | undefined, low: number, high: number): boolean {
  return byte !== undefined && byte >= low && byte <= high;
}

function isHexDigit(byte: number): boolean {
  return isWithin(byte, 0x30, 0x39) || isWithin(byte | 0x20, 0x61, 0x66);
}

/**
 * Length of the well-formed UTF-8 character that begins at index `i` (The Unicode Standard, table 3-7); 0 if the
 * bytes end inside it, -1 if it is malformed: overlong, a surrogate, above U+10FFFF, or a stray byte.
 */
export function readUtf8Length(bytes: Buffer, i: number): number {
  const lead = bytes[i]!;
  const length =
    lead < 0x80 ? 1 : lead < 0xc2 ? -1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : -1;
  if (length <= 1) return length;
  if (i + 1 >= bytes.length) return 0;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (!isWithin(bytes[i + 1], low, high)) return -1;
  for (let k = 2; k < length; k++) {
    if (i + k >= bytes.length) return 0;
    if (!isWithin(bytes[i + k], 0x80, 0xbf)) return -1;
  }
  return length;
}

/**
 * Length of the escape whose backslash is at index `i`; 0 if the bytes end inside it, -1 if it is not a valid escape.
 */
export function readEscapeLength(bytes: Buffer, i: number): number {
  switch (bytes[i + 1]) {
    case undefined:
      return 0;
    case 0x22: // "
    case 0x5c: // \
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return 2;
    case 0x75: // u
      for (let k = i + 2; k < i + 6; k++) {
        if (k >= bytes.length) return 0;
        if (!isHexDigit(bytes[k]!)) return -1;
      }
      return 6;
    default:
      return -1;
  }
}

/** True if the text contains half a surrogate pair without the other half, so that it has no UTF-8 form. */
export function hasHalfPair(text: string): boolean {
  return HALF_PAIR.test(text);
}
