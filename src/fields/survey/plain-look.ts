import { findCurrency } from "../amount/currency.ts";
import { DOT } from "../amount/decimal-mark.ts";
import { PlainAmount } from "../amount/plain-amount.ts";
import { ARTICLES } from "../date/date.ts";
import { monthOf, weekdayOf } from "../date/month-names.ts";
import { beginsWithNoValue, isLetter } from "./plain-cells.ts";

/** What a cell counts as. */
export interface PlainLook {
  readonly isDigits: boolean;
  readonly isAmount: boolean;
  /** An amount that is not written as in a record. */
  readonly isMarked: boolean;
  /** An amount with decimals. */
  readonly isPriced: boolean;
}

const MINUS = 0x2d;
const ZERO = 0x30;
const DOLLAR = 0x24;
const LATIN_LETTERS = 0xc3;
/** A date without separators has so many digits. */
const COMPACT_DATE_DIGITS = 8;
/** With so many decimals, all zero, a number still counts as digits. */
const MOST_ZERO_DECIMALS = 2;
/** Words that texts of one column begin with. */
const MOST_WORDS = 1024;

const NEITHER: PlainLook = { isDigits: false, isAmount: false, isMarked: false, isPriced: false };

/** Recognises cells by their bytes: texts that begin with a word, and numbers in their usual forms. */
export class PlainLooks {
  readonly #amount = new PlainAmount();
  /** Words that were seen at the beginning of texts: true if neither a date nor an amount begins so. */
  readonly #words = new Map<string, boolean>();

  /** What a cell counts as; `undefined` if it needs a closer look. The bytes, at least one, are its text in UTF-8. */
  lookAt(bytes: Buffer, start: number, end: number): PlainLook | undefined {
    const first = bytes[start]!;
    if (isLetter(first) || first === LATIN_LETTERS)
      return this.#isPlainText(bytes, start, end) ? NEITHER : undefined;
    return this.#amount.scan(bytes, start, end) ? this.#lookOfAmount(bytes, start, end) : undefined;
  }

  #isPlainText(bytes: Buffer, start: number, end: number): boolean {
    if (beginsWithNoValue(bytes, start, end)) return false;
    const wordEnd = endOfWord(bytes, start, end);
    if (wordEnd < 0) return false;
    // Without a digit it is neither a date nor an amount.
    if (!holdsDigit(bytes, wordEnd, end)) return true;
    const word = bytes.toString("utf8", start, wordEnd);
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const isPlain = beginsNothing(word);
    if (this.#words.size < MOST_WORDS) this.#words.set(word, isPlain);
    return isPlain;
  }

  #lookOfAmount(bytes: Buffer, start: number, end: number): PlainLook | undefined {
    const { units, decimals, form } = this.#amount;
    const isNegative = bytes[start] === MINUS;
    const at = isNegative ? start + 1 : start;
    // Leading zeros are a reason not to take a number for an amount.
    if (bytes[at] === ZERO && at + 1 < end && isDigit(bytes[at + 1]!)) return undefined;
    const isGrouped = (form & 2) !== 0;
    if (decimals === 0) {
      if (isGrouped || end - start === COMPACT_DATE_DIGITS) return undefined;
      return isNegative ? NUMBER : WHOLE_NUMBER;
    }
    const isMarked = isGrouped || form >> 2 !== DOT;
    if (units % 10 ** decimals !== 0) return isMarked ? MARKED : PLAIN;
    if (decimals > MOST_ZERO_DECIMALS || isNegative) return undefined;
    return isMarked ? MARKED_WHOLE : PLAIN_WHOLE;
  }
}

const NUMBER: PlainLook = { ...NEITHER, isAmount: true };
const WHOLE_NUMBER: PlainLook = { ...NUMBER, isDigits: true };
const PLAIN: PlainLook = { ...NUMBER, isPriced: true };
const PLAIN_WHOLE: PlainLook = { ...PLAIN, isDigits: true };
const MARKED: PlainLook = { ...PLAIN, isMarked: true };
const MARKED_WHOLE: PlainLook = { ...MARKED, isDigits: true };

/** The end of the word with which a text begins; -1 if it may go on with other letters or signs. */
function endOfWord(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at]!;
    if (isLetter(byte)) at += 1;
    else if (byte === LATIN_LETTERS) at += 2;
    else return byte < 0x80 && byte !== DOLLAR ? at : -1;
  }
  return at;
}

function holdsDigit(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isDigit(bytes[at]!)) return true;
  return false;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** True if no date and no amount begins with the word. */
function beginsNothing(word: string): boolean {
  const isOfDate = monthOf(word) !== undefined || weekdayOf(word) !== undefined;
  return !isOfDate && !ARTICLES.has(word.toLowerCase()) && findCurrency(word) === undefined;
}
