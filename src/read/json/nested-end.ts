import { wordOf } from "./json-scan.ts";
import { endOfNumber } from "./json-token.ts";
import { endOfString } from "./plain-value.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
/** Deeper values are left to the strict scanner. */
const MOST_LEVELS = 32;

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
