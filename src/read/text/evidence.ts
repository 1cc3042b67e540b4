import { isAscii, isUtf8 } from "node:buffer";
import { createExcerptCollector, type Excerpt } from "./excerpts.ts";

/** Evidence about an input's encoding, collected from its bytes. */
export interface Evidence {
  /** True if all of it is valid UTF-8. */
  readonly isUtf8: boolean;
  readonly excerpts: readonly Excerpt[];
  /** By byte, from 0x80 up: not 0 if the input contains it. */
  readonly used: Uint8Array;
  /** Different words of ASCII letters from the beginning, in lower case. */
  readonly asciiWords: readonly string[];
}

/** Takes an input's bytes in order, cut anywhere. */
export interface EvidenceCollector {
  push(chunk: Buffer): void;
  finish(): Evidence;
}

/** Says whether an input is valid UTF-8 so far. */
interface Utf8Watch {
  push(chunk: Buffer): boolean;
  end(): boolean;
}

/** Number of unambiguous UTF-8 words that are enough, and in how many bytes they are looked for. */
const ENOUGH_EXCERPTS = 64;
const ENOUGH_BYTES = 262_144;
/** The ASCII words are taken from this many bytes. */
const HEAD_BYTES = 65_536;
const MOST_WORDS = 200;

/**
 * Examines the whole input in bounded memory. `utf8` says after each chunk whether everything so far is valid UTF-8.
 */
export function createEvidenceCollector(utf8: Utf8Watch = watchUtf8()): EvidenceCollector {
  const collector = createExcerptCollector();
  const head: Buffer[] = [];
  let headBytes = 0;
  let isUtf8 = true;
  let lookedAt = 0;

  const isEnough = (): boolean =>
    isUtf8 && (collector.excerpts.length >= ENOUGH_EXCERPTS || lookedAt >= ENOUGH_BYTES);

  return {
    push(chunk) {
      if (headBytes < HEAD_BYTES) {
        head.push(Buffer.from(chunk.subarray(0, HEAD_BYTES - headBytes)));
        headBytes += chunk.length;
      }
      isUtf8 = utf8.push(chunk);
      if (isEnough()) {
        collector.skip(chunk);
        return;
      }
      if (!isAscii(chunk)) lookedAt += chunk.length;
      collector.push(chunk);
    },
    finish() {
      collector.end();
      isUtf8 = utf8.end();
      const { excerpts, used } = collector;
      return { isUtf8, excerpts, used, asciiWords: findAsciiWords(Buffer.concat(head)) };
    },
  };
}

function watchUtf8(): Utf8Watch {
  const check = createUtf8Check();
  let isUtf8 = true;
  return {
    push: (chunk) => (isUtf8 &&= check.push(chunk).rest === undefined),
    end: () => (isUtf8 &&= check.end().length === 0),
  };
}

function findAsciiWords(head: Buffer): string[] {
  const words = new Set<string>();
  for (const [word] of head.toString("latin1").matchAll(/[A-Za-z\u0080-\u00ff]{4,}/g)) {
    if (words.size === MOST_WORDS) break;
    if (/^[A-Za-z]+$/.test(word)) words.add(word.toLowerCase());
  }
  return [...words];
}

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
export function characterLength(lead: number): number {
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
