const LF = 10;
const CR = 13;

/** Counts physical lines (LF, CRLF, CR) and the characters of the last one, over UTF-8 pieces. */
export interface PlaceCounter {
  /** Moves on over whole characters. */
  add(piece: Buffer): void;
  /** The place of the byte at `offset` of the piece that comes next; both count from 1. */
  at(piece: Buffer, offset: number): { line: number; column: number };
}

/** Begins at line 1, column 1. */
export function createPlaceCounter(): PlaceCounter {
  let line = 1;
  let column = 1;
  let afterCr = false;

  function add(piece: Buffer): void {
    let lineStart = -1;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (byte === LF) {
        line += afterCr ? 0 : 1;
        afterCr = false;
        lineStart = at + 1;
      } else if (byte === CR) {
        line += 1;
        afterCr = true;
        lineStart = at + 1;
      } else {
        afterCr = false;
      }
    }
    column = (lineStart === -1 ? column : 1) + countCharacters(piece, Math.max(lineStart, 0));
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

function countCharacters(piece: Buffer, from: number): number {
  let characters = 0;
  for (let at = from; at < piece.length; at += 1) {
    // Continuation bytes (10xxxxxx) belong to the character before.
    if (((piece[at] ?? 0) & 0xc0) !== 0x80) {
      characters += 1;
    }
  }
  return characters;
}
