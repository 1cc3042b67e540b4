import { isAscii, isUtf8 } from "node:buffer";

/** The result of {@link Utf8Check.push} for one chunk. */
interface CheckedBytes {
  /** Valid UTF-8 in whole characters; the chunk itself if nothing is cut off. */
  readonly valid: Buffer;
  /** Everything from the first invalid byte on; checking ends there. */
  readonly rest: Buffer | undefined;
}

/** Checks chunks cut anywhere, holding back a character that the end of a chunk cuts in two. */
export interface Utf8Check {
  push(chunk: Buffer): CheckedBytes;
  /** The bytes of a character that the end of the input cuts off; empty if there are none. */
  end(): Buffer;
}

/** Starts a check at a character boundary. */
export function createUtf8Check(): Utf8Check {
  let held: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const whole = bytes.subarray(0, bytes.length - cutBytes(bytes));
      held = Buffer.from(bytes.subarray(whole.length));
      if (isAscii(whole) || isUtf8(whole)) return { valid: whole, rest: undefined };
      const length = validLength(whole);
      return { valid: whole.subarray(0, length), rest: bytes.subarray(length) };
    },
    end: () => held,
  };
}

/** Bytes at the end that may be the beginning of a character that the chunk's end cuts in two. */
function cutBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const first = bytes[bytes.length - back]!;
    if (first < 0x80) return 0;
    if (first >= 0xc0) return readUtf8Length(bytes, bytes.length - back) === 0 ? back : 0;
  }
  return 0;
}

function validLength(bytes: Buffer): number {
  let at = 0;
  for (let length = 1; at < bytes.length; at += length) {
    length = readUtf8Length(bytes, at);
    if (length <= 0) return at;
  }
  return at;
}

/**
 * Length of the well-formed UTF-8 character that begins at index `i` (The Unicode Standard, table 3-7); 0 if the
 * bytes end inside it, -1 if it is malformed: overlong, a surrogate, above U+10FFFF, or a stray byte.
 */
function readUtf8Length(bytes: Buffer, i: number): number {
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

function isWithin(byte: number | undefined, low: number, high: number): boolean {
  return byte !== undefined && byte >= low && byte <= high;
}
