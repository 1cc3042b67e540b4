import { findCurrency } from "./amount/amount.ts";
import { monthOf } from "./date/calendar.ts";

/** The word of ASCII and Latin letters with which a text begins, unless it may go on with other letters or signs. */
const FIRST_WORD = /^[A-Za-zÀ-ÖØ-öø-ÿ]+(?![A-Za-zÀ-ÖØ-öø-ÿ$\u0080-\uffff])/;

/**
 * True for a text with a digit that is certainly neither a date nor an amount, as none begins with its first word. False for
 * a text that has to be read as a whole. The text is trimmed and not empty.
 */
export function isPlainText(text: string): boolean {
  const word = FIRST_WORD.exec(text)?.[0];
  return word !== undefined && monthOf(word) === undefined && findCurrency(word) === undefined;
}

/** True for ASCII letters. */
export function isAsciiLetter(code: number): boolean {
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x7a;
}
