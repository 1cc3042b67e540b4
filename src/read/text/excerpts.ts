import { isAscii } from "node:buffer";

/** A word with non-ASCII bytes, with the bytes next to it. */
export interface Excerpt {
  /** One UTF-16 unit for each byte (latin1), every digit as `0`. */
  readonly bytes: string;
  /** The word is `bytes.slice(from, to)`; up to two bytes on each side belong to its neighbours. */
  readonly from: number;
  readonly to: number;
  /** Where the word begins in the input, as a byte position. */
  readonly offset: number;
}

/** Collects the different non-ASCII words in bounded memory, each kind of neighbourhood a few times. */
export interface ExcerptCollector {
  push(chunk: Buffer): void;
  /** Moves on over bytes that need not be examined. */
  skip(chunk: Buffer): void;
  end(): void;
  readonly excerpts: readonly Excerpt[];
  /** How often each byte from 0x80 up occurred; stops counting at 255. */
  readonly used: Uint8Array;
}

/** How far a word is examined to the left and to the right of its first non-ASCII byte. */
const BEFORE_BYTES = 24;
const AFTER_BYTES = 40;
const BESIDE_BYTES = 2;

/** For each pair of adjacent bytes: how many words are kept at most, and how many are examined for that. */
const KEPT_FOR_PAIR = 3;
const LOOKS_FOR_PAIR = 48;
/** Once this many words are kept, only those with a byte that is new are added. */
const MOST_EXCERPTS = 4096;

const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

const IS_WORD_BYTE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[A-Za-z]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Makes a collector that finds the same words however the input is cut. */
export function createExcerptCollector(): ExcerptCollector {
  const excerpts: Excerpt[] = [];
  const known = new Set<string>();
  const used = new Uint8Array(128);
  const pairs = { before: createPairCounts(), after: createPairCounts() };
  /** Bytes that may belong to a word that was not examined yet, or be next to one. */
  let held: Buffer = Buffer.alloc(0);
  let heldOffset = 0;
  /** Every word up to here has been examined. */
  let done = 0;

  function look(isLast: boolean): void {
    let at = nextForeign(held, Math.max(done - heldOffset, 0));
    while (at < held.length && (isLast || at + AFTER_BYTES + BESIDE_BYTES <= held.length)) {
      const end = wordEnd(held, at);
      if (isNews(at, end)) keep(at, end);
      at = nextForeign(held, end);
    }
    done = heldOffset + at;
    const from = Math.max(at - BEFORE_BYTES - BESIDE_BYTES, 0);
    held = held.subarray(from);
    heldOffset += from;
  }

  function isNews(start: number, end: number): boolean {
    let isNew = false;
    for (let at = start; at < end; at += 1) {
      const byte = (held[at] ?? 0) - 0x80;
      if (byte < 0) continue;
      const isFirst = used[byte] === 0;
      if (used[byte]! < 255) used[byte]! += 1;
      const isRare = pairs.before.look(byte, held[at - 1]) || pairs.after.look(byte, held[at + 1]);
      isNew ||= isFirst || (isRare && excerpts.length < MOST_EXCERPTS);
    }
    return isNew;
  }

  function keep(at: number, end: number): void {
    const start = wordStart(held, at);
    const left = Math.max(start - BESIDE_BYTES, 0);
    const bytes = held.toString("latin1", left, end + BESIDE_BYTES).replace(/\d/g, "0");
    if (known.has(bytes)) return;
    known.add(bytes);
    excerpts.push({ bytes, from: start - left, to: end - left, offset: heldOffset + start });
    for (let index = at; index < end; index += 1) {
      const byte = (held[index] ?? 0) - 0x80;
      if (byte < 0) continue;
      pairs.before.keep(byte, held[index - 1]);
      pairs.after.keep(byte, held[index + 1]);
    }
  }

  return {
    push(chunk) {
      if (isAscii(chunk) && done >= heldOffset + held.length) {
        this.skip(chunk);
        return;
      }
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      look(false);
      held = Buffer.from(held);
    },
    skip(chunk) {
      const end = heldOffset + held.length + chunk.length;
      const tail = Buffer.concat([held, chunk.subarray(-BEFORE_BYTES - BESIDE_BYTES)]);
      held = tail.subarray(-BEFORE_BYTES - BESIDE_BYTES);
      heldOffset = end - held.length;
      done = end;
    },
    end: () => look(true),
    excerpts,
    used,
  };
}

/** Counts the words examined and kept for each pair of a non-ASCII byte and its neighbour; all digits count as one. */
function createPairCounts(): {
  look(byte: number, neighbour: number | undefined): boolean;
  keep(byte: number, neighbour: number | undefined): void;
} {
  const looks = new Uint8Array(128 * 256);
  const kept = new Uint8Array(128 * 256);
  const indexOf = (byte: number, neighbour = 0x0a): number =>
    byte * 256 + (neighbour >= DIGIT_0 && neighbour <= DIGIT_9 ? DIGIT_0 : neighbour);
  return {
    look(byte, neighbour) {
      const index = indexOf(byte, neighbour);
      if (looks[index]! >= LOOKS_FOR_PAIR || kept[index]! >= KEPT_FOR_PAIR) return false;
      looks[index]! += 1;
      return true;
    },
    keep(byte, neighbour) {
      const index = indexOf(byte, neighbour);
      if (kept[index]! < KEPT_FOR_PAIR) kept[index]! += 1;
    },
  };
}

function nextForeign(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at]! < 0x80) at += 1;
  return at;
}

function wordStart(bytes: Buffer, at: number): number {
  let start = at;
  const least = Math.max(at - BEFORE_BYTES, 0);
  while (start > least && IS_WORD_BYTE[bytes[start - 1]!] === 1) start -= 1;
  return start;
}

function wordEnd(bytes: Buffer, at: number): number {
  let end = at + 1;
  const most = Math.min(at + AFTER_BYTES, bytes.length);
  while (end < most && IS_WORD_BYTE[bytes[end]!] === 1) end += 1;
  return end;
}
