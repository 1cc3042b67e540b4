import { ESCAPED, NO_TEXT } from "../../model/rows.ts";
import type { JsonCells } from "./json-cells.ts";
import { readEscapeLength } from "./json-fault.ts";
import { wordOf } from "./json-scan.ts";
import { endOfNumber } from "./json-token.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
/** Deeper values are left to the strict scanner. */
const MOST_LEVELS = 32;

/** By byte: 1 if it ends a run of plain text in a string. */
const IS_SPECIAL = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
);

/**
 * Takes the string, number, true, false or null at `from` as a cell; returns the index after it, or -1 if it is left to the
 * strict scanner: if it is broken, cut off, an object or an array, a number with an exponent, or holds what may be half a
 * surrogate pair. The bytes are known to be UTF-8.
 */
export function takePlainValue(cells: JsonCells, cell: number, from: number): number {
  const { bytes } = cells;
  const first = bytes[from];
  if (first === QUOTE) {
    const end = endOfRun(bytes, from + 1);
    if (bytes[end] !== QUOTE) return takeEscaped(cells, cell, from + 1);
    cells.put(cell, from + 1, end, 0);
    return end + 1;
  }
  if (first === MINUS || (first !== undefined && first >= 0x30 && first <= 0x39)) {
    const end = endOfNumber(bytes, from);
    if (end < 0 || end >= bytes.length) return -1;
    // An exponent makes the value longer than its source.
    for (let at = from; at < end; at++) if ((bytes[at]! | 0x20) === 0x65) return -1;
    cells.put(cell, from, end, NO_TEXT);
    return end;
  }
  const word = first === undefined ? undefined : wordOf(first);
  if (word === undefined) return -1;
  const end = from + word.length;
  if (bytes.toString("latin1", from, end) !== word) return -1;
  cells.put(cell, from, word === "null" ? from : end, NO_TEXT);
  return end;
}

/** The index after the closing quote of the string whose text begins at `from`; -1 if it is broken or cut off. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = from; ;) {
    at = endOfRun(bytes, at);
    if (bytes[at] === QUOTE) return at + 1;
    if (bytes[at] !== BACKSLASH) return -1;
    const escape = readEscapeLength(bytes, at);
    if (escape <= 0) return -1;
    at += escape;
  }
}

/** The index of the first byte from `from` on that is not plain text of a string. */
function endOfRun(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let at = from;
  while (at < length && IS_SPECIAL[bytes[at]!] === 0) at++;
  return at;
}

/** Takes a string in which something is escaped; its text begins at `from`. */
function takeEscaped(cells: JsonCells, cell: number, from: number): number {
  const { bytes } = cells;
  for (let at = from; ;) {
    at = endOfRun(bytes, at);
    if (bytes[at] === QUOTE) {
      cells.put(cell, from, at, ESCAPED);
      return at + 1;
    }
    if (bytes[at] !== BACKSLASH) return -1;
    const escape = readEscapeLength(bytes, at);
    if (escape <= 0 || (escape === 6 && mayBeHalfPair(bytes, at))) return -1;
    at += escape;
  }
}

/** `\ud800` to `\udfff`. */
function mayBeHalfPair(bytes: Buffer, at: number): boolean {
  return (bytes[at + 2]! | 0x20) === 0x64 && bytes[at + 3]! > 0x37;
}

/**
 * The index after the object or array that begins at `from` (RFC 8259); -1 if it is left to the strict scanner: if it is
 * broken, cut off or very deep, or has a carriage return between its values. The bytes are known to be UTF-8.
 */
export function endOfNested(bytes: Buffer, from: number): number {
  return endOfContainer(bytes, from, 1);
}

function endOfContainer(bytes: Buffer, from: number, level: number): number {
  const isObject = bytes[from] === OPENING_BRACE;
  const closing = isObject ? CLOSING_BRACE : CLOSING_BRACKET;
  let at = skipBlanks(bytes, from + 1);
  if (bytes[at] === closing) return at + 1;
  for (;;) {
    if (isObject) {
      const colon = bytes[at] === QUOTE ? endOfString(bytes, at + 1) : -1;
      if (colon === -1) return -1;
      at = skipBlanks(bytes, colon);
      if (bytes[at] !== COLON) return -1;
      at = skipBlanks(bytes, at + 1);
    }
    at = endOfValue(bytes, at, level);
    if (at === -1) return -1;
    at = skipBlanks(bytes, at);
    const sign = bytes[at++];
    if (sign === closing) return at;
    if (sign !== COMMA) return -1;
    at = skipBlanks(bytes, at);
  }
}

function endOfValue(bytes: Buffer, at: number, level: number): number {
  const first = bytes[at];
  if (first === undefined) return -1;
  if (first === QUOTE) return endOfString(bytes, at + 1);
  if (first === OPENING_BRACE || first === OPENING_BRACKET)
    return level === MOST_LEVELS ? -1 : endOfContainer(bytes, at, level + 1);
  const word = wordOf(first);
  if (word === undefined) return Math.max(-1, endOfNumber(bytes, at));
  return bytes.toString("latin1", at, at + word.length) === word ? at + word.length : -1;
}

/** The index of the first byte from `at` on that is no space, tab or line feed. */
export function skipBlanks(bytes: Buffer, at: number): number {
  let to = at;
  while (bytes[to] === 0x20 || bytes[to] === 0x09 || bytes[to] === 0x0a) to++;
  return to;
}
