import { isAscii } from "node:buffer";

const LF = 10;
const CR = 13;

/** Four bytes are examined together: most contain no line end. */
const WORD_BYTES = 4;
/** `(word - ALL_BEHIND_CR) & ~word & ALL_HIGH_BITS` is zero if no byte is less than 14. */
const ALL_BEHIND_CR = 0x0e0e0e0e;
const ALL_HIGH_BITS = 0x80808080;

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

  /** The index after the last line end in the current piece; -1 if it has none. */
  let lineStart = -1;

  function addBytes(piece: Buffer, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
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
  }

  /** Continues from a word boundary; returns where the rest begins that is shorter than a word. */
  function addWords(piece: Buffer, from: number): number {
    const words = new Int32Array(
      piece.buffer,
      piece.byteOffset + from,
      Math.floor((piece.length - from) / WORD_BYTES),
    );
    // What comes after the loop for the first time would end its optimised code, here on every call.
    const end = from + words.length * WORD_BYTES;
    for (let index = 0; index < words.length; index += 1) {
      const word = words[index]!;
      if (((word - ALL_BEHIND_CR) & ~word & ALL_HIGH_BITS) === 0) {
        afterCr = false;
      } else {
        const at = from + index * WORD_BYTES;
        addBytes(piece, at, at + WORD_BYTES);
      }
    }
    return end;
  }

  function add(piece: Buffer): void {
    lineStart = -1;
    const border = -piece.byteOffset & (WORD_BYTES - 1);
    const begin = Math.min(border, piece.length);
    addBytes(piece, 0, begin);
    const rest = begin === border ? addWords(piece, border) : begin;
    addBytes(piece, rest, piece.length);
    column = (lineStart === -1 ? column : 1) + countCharacters(piece.subarray(Math.max(lineStart, 0)));
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

function countCharacters(text: Buffer): number {
  if (isAscii(text)) return text.length;
  let characters = 0;
  for (const byte of text) {
    // Continuation bytes (10xxxxxx) belong to the character before.
    if ((byte & 0xc0) !== 0x80) characters += 1;
  }
  return characters;
}
