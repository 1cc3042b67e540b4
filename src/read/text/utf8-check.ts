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
    if (first >= 0xc0) return back < (first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4) ? back : 0;
  }
  return 0;
}

const REPLACEMENT = "\u{FFFD}";

/** What is no UTF-8 is decoded as U+FFFD, which the text may also hold itself. */
function validLength(bytes: Buffer): number {
  const text = bytes.toString();
  let length = 0;
  let from = 0;
  for (;;) {
    const at = text.indexOf(REPLACEMENT, from);
    length += Buffer.byteLength(text.slice(from, at === -1 ? undefined : at));
    if (at === -1 || bytes.toString("latin1", length, length + 3) !== "\xef\xbf\xbd") return length;
    length += 3;
    from = at + 1;
  }
}
