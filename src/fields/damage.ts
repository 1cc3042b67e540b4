import { quoteWord } from "./shell-word.ts";
import type { Unreadable } from "./value.ts";

/**
 * Names the damage where a spreadsheet or a database wrote a sign of failure instead of a value (`#REF!`, `#N/A`,
 * `#####`, `NaN`). The languages are those of the month names.
 */
export function findDamage(text: string): string | undefined {
  if (text.charCodeAt(0) === 0x23) {
    if (/^##+$/.test(text)) return "a spreadsheet wrote signs because its column was too narrow";
    if (/^#[¡¿]?[\p{L}/0]+[!?]$|^#N\/?[ABDV]$/u.test(text)) return "it is an error of a spreadsheet formula";
  }
  return /^(?:NaN|-?Inf(?:inity)?)$/i.test(text) ? "it is not a number" : undefined;
}

/** True for a number with an exponent, `5.51035E+05`: a spreadsheet writes it so, and the digits behind are gone. */
export function hasExponent(text: string): boolean {
  return /^[+-]?\d+(?:[.,]\d+)?[eE][+-]?\d+$/.test(text);
}

export const CUT_NUMBER = "a spreadsheet has cut it to an exponent, its last digits are lost";

// What databases and programs write for "no value".
const NO_VALUE = /^(?:null|\(null\)|\\n|nan|undefined|none|n\/a)$/i;

/** True for words that stand for no value: `NULL`, `\N`, `None`, `N/A`. */
export function isNoValue(text: string): boolean {
  return NO_VALUE.test(text);
}

/** The option that makes a word for no value, or dashes alone, a blank cell; `undefined` for anything else. */
function hintNoValue(text: string): string | undefined {
  return isNoValue(text) || /^-+$/.test(text) ? `--null ${quoteWord(text)}` : undefined;
}

/** A cell that cannot be read, with the option for words that stand for no value. */
export function refuseText(text: string, reason: string): Unreadable {
  const hint = hintNoValue(text);
  return hint === undefined ? { reason } : { reason, hint };
}
