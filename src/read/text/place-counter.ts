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
