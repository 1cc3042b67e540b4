import { isAscii, isUtf8 } from "node:buffer";

/** The result of {@link Utf8Check.push} for one chunk. */
interface CheckedBytes {
  /** Valid UTF-8 in whole characters, in order; the chunk itself if nothing is cut off. */
  readonly pieces: readonly Buffer[];
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
      const pieces: Buffer[] = [];
      let from = 0;
      if (held.length > 0) {
        const missing = characterLength(held[0] ?? 0) - held.length;
        const joined = Buffer.concat([held, chunk.subarray(0, missing)]);
        if (chunk.length < missing && couldBeCut(joined)) {
          held = joined;
          return { pieces, rest: undefined };
        }
        if (!isUtf8(joined)) {
          return { pieces, rest: Buffer.concat([held, chunk]) };
        }
        pieces.push(joined);
        from = missing;
      }
      const end = chunk.length - cutBytes(chunk, from);
      const whole = chunk.subarray(from, end);
      if (!isAscii(whole) && !isUtf8(whole)) {
        const valid = validLength(whole);
        pieces.push(whole.subarray(0, valid));
        return { pieces, rest: chunk.subarray(from + valid) };
      }
      if (whole.length > 0) {
        pieces.push(whole);
      }
      held = Buffer.from(chunk.subarray(end));
      return { pieces, rest: undefined };
    },
    end: () => held,
  };
}

/** Bytes at the end that may be the beginning of a character that the chunk's end cuts in two. */
function cutBytes(bytes: Buffer, from = 0): number {
  for (let back = 1; back <= 3 && bytes.length - back >= from; back += 1) {
    const tail = bytes.subarray(bytes.length - back);
    const first = tail[0] ?? 0;
    if (first < 0x80) {
      return 0;
    }
    if (first >= 0xc0) {
      return couldBeCut(tail) ? back : 0;
    }
  }
  return 0;
}

/** RFC 3629: the lead byte gives the length; 1 for every byte that is not a lead byte. */
function characterLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) {
    return 2;
  }
  if (lead >= 0xe0 && lead <= 0xef) {
    return 3;
  }
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 1;
}

/**
 * True if some continuation makes the bytes one valid character (two tries cover the second bytes with a limited
 * range).
 */
function couldBeCut(bytes: Buffer): boolean {
  const missing = characterLength(bytes[0] ?? 0) - bytes.length;
  return (
    missing > 0 &&
    [0x80, 0xbf].some((filler) => isUtf8(Buffer.concat([bytes, Buffer.alloc(missing, filler)])))
  );
}

function validLength(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const length = (bytes[at] ?? 0) < 0x80 ? 1 : characterLength(bytes[at] ?? 0);
    if (!isUtf8(bytes.subarray(at, at + length))) {
      return at;
    }
    at += length;
  }
  return at;
}
