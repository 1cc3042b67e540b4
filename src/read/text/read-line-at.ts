import type { Source } from "../source/source.ts";

const LF = 10;
const CR = 13;

/** Counts physical lines (LF, CRLF, CR) and the characters of the last one, over UTF-8 pieces. */
export interface PlaceCounter {
  /** Moves on over whole characters. */
  add(piece: Buffer): void;
  /** The place of the byte at `offset` of the next piece; line and column count from 1. */
  at(piece: Buffer, offset: number): { line: number; column: number };
}

/** Starts at line 1, column 1. */
export function createPlaceCounter(): PlaceCounter {
  let line = 1;
  let column = 1;
  let afterCr = false;

  function add(piece: Buffer): void {
    for (const byte of piece) {
      if (byte === LF || byte === CR) {
        if (byte === CR || !afterCr) line += 1;
        column = 1;
        // Continuation bytes (10xxxxxx) belong to the character before.
      } else if ((byte & 0xc0) !== 0x80) column += 1;
      afterCr = byte === CR;
    }
  }

  return {
    add,
    at(piece, offset) {
      const before = { line, column, afterCr };
      add(piece.subarray(0, offset));
      const place = { line, column };
      ({ line, column, afterCr } = before);
      return place;
    },
  };
}

/** Of a long line, at most this many bytes before and after the place are returned. */
const BEFORE_BYTES = 40;
const AFTER_BYTES = 60;

/**
 * The place of the byte at `offset`, and the undecoded text of its physical line around it. Reads the source up to
 * there.
 */
export async function readLineAt(
  source: Source,
  offset: number,
): Promise<{ line: number; column: number; bytes: Buffer }> {
  const counter = createPlaceCounter();
  let place = { line: 1, column: 1 };
  let before: Buffer = Buffer.alloc(0);
  let after: Buffer | undefined;
  let position = 0;
  for await (const chunk of source.open()) {
    if (after === undefined && position + chunk.length > offset) {
      const at = offset - position;
      place = counter.at(chunk, at);
      before = Buffer.concat([before, chunk.subarray(0, at)]).subarray(-BEFORE_BYTES);
      after = Buffer.from(chunk.subarray(at, at + AFTER_BYTES));
    } else if (after === undefined) {
      counter.add(chunk);
      before = Buffer.concat([before, chunk.subarray(-BEFORE_BYTES)]).subarray(-BEFORE_BYTES);
    } else {
      after = Buffer.concat([after, chunk]);
    }
    position += chunk.length;
    if (after !== undefined && after.length >= AFTER_BYTES) break;
  }
  const text = Buffer.concat([before, after?.subarray(0, AFTER_BYTES) ?? Buffer.alloc(0)]);
  const start = 1 + Math.max(...["\n", "\r"].map((end) => before.lastIndexOf(end)));
  const ends = ["\n", "\r"].map((end) => text.indexOf(end, before.length)).filter((at) => at !== -1);
  return { ...place, bytes: text.subarray(start, Math.min(...ends, text.length)) };
}
