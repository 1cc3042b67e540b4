import { findCurrency } from "./amount/amount.ts";
import { monthOf } from "./date/calendar.ts";

const DOLLAR = 0x24;
const FIRST_BEYOND_ASCII = 0x80;

/**
 * True for a text with a digit that is certainly neither a date nor an amount: it begins with a word with which none begins.
 * False for a text that needs a closer look. It is not empty, and has no spaces at its ends.
 */
export function isPlainText(text: string): boolean {
  const end = endOfWord(text);
  if (end <= 0) return false;
  const word = text.slice(0, end);
  return monthOf(word) === undefined && findCurrency(word) === undefined;
}

/** True for ASCII letters. */
export function isAsciiLetter(code: number): boolean {
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x7a;
}

/** The end of the word with which a text begins; -1 if it may go on with other letters or signs. */
function endOfWord(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!isAsciiLetter(code) && !isLatin(code)) return code < FIRST_BEYOND_ASCII && code !== DOLLAR ? at : -1;
  }
  return text.length;
}

/** True for the letters from U+00C0 to U+00FF, without the signs of multiplication and division among them. */
function isLatin(code: number): boolean {
  return code >= 0xc0 && code <= 0xff && code !== 0xd7 && code !== 0xf7;
}
