import type { Source } from "../source/source.ts";

const LF = 10;
const CR = 13;

/** Counts physical lines (LF, CRLF, CR) and the characters of the last one, both from 1, over bytes in UTF-8. */
export class PlaceCounter {
  line = 1;
  column = 1;
  #isAfterCr = false;

  /** Moves on over whole characters. */
  add(piece: Buffer): void {
    let { line, column } = this;
    let isAfterCr = this.#isAfterCr;
    for (const byte of piece) {
      if (byte === LF || byte === CR) {
        if (byte === CR || !isAfterCr) line += 1;
        column = 1;
        // Continuation bytes (10xxxxxx) belong to the character before.
      } else if ((byte & 0xc0) !== 0x80) column += 1;
      isAfterCr = byte === CR;
    }
    this.line = line;
    this.column = column;
    this.#isAfterCr = isAfterCr;
  }
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
  const counter = new PlaceCounter();
  let before: Buffer = Buffer.alloc(0);
  let after: Buffer = Buffer.alloc(0);
  let position = 0;
  for await (const chunk of source.open()) {
    const at = Math.max(0, offset - position);
    const skipped = chunk.subarray(0, at);
    counter.add(skipped);
    before = Buffer.concat([before, skipped.subarray(-BEFORE_BYTES)]).subarray(-BEFORE_BYTES);
    after = Buffer.concat([after, chunk.subarray(at, at + AFTER_BYTES)]);
    position += chunk.length;
    if (after.length >= AFTER_BYTES) break;
  }
  const text = Buffer.concat([before, after.subarray(0, AFTER_BYTES)]);
  const start = 1 + Math.max(...["\n", "\r"].map((end) => before.lastIndexOf(end)));
  const ends = ["\n", "\r"].map((end) => text.indexOf(end, before.length)).filter((at) => at !== -1);
  const { line, column } = counter;
  return { line, column, bytes: text.subarray(start, Math.min(...ends, text.length)) };
}
