import { DOT } from "../amount/decimal-mark.ts";
import { PlainAmount } from "../amount/plain-amount.ts";
import { isDigit, PlainTexts } from "../plain-texts.ts";

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
/** A date without separators has so many digits. */
const COMPACT_DATE_DIGITS = 8;
/** With so many decimals, all zero, a number still counts as digits. */
const MOST_ZERO_DECIMALS = 2;

const NEITHER: PlainLook = { isDigits: false, isAmount: false, isMarked: false, isPriced: false };

/** Recognises cells by their bytes: texts that begin with a word, and numbers in their usual forms. */
export class PlainLooks {
  readonly #amount = new PlainAmount();
  readonly #texts = new PlainTexts();

  /** What a cell counts as; `undefined` if it needs a closer look. The bytes, at least one, are its text in UTF-8. */
  lookAt(bytes: Buffer, start: number, end: number): PlainLook | undefined {
    if (this.#texts.has(bytes, start, end)) return NEITHER;
    return this.#amount.scan(bytes, start, end) ? this.#lookOfAmount(bytes, start, end) : undefined;
  }

  /** True for a text with a digit that counts as nothing. */
  isText(trimmed: string): boolean {
    return this.#texts.hasText(trimmed);
  }

  #lookOfAmount(bytes: Buffer, start: number, end: number): PlainLook | undefined {
    const { units, decimals, mark, isGrouped } = this.#amount;
    const isNegative = bytes[start] === MINUS;
    const at = isNegative ? start + 1 : start;
    // Leading zeros are a reason not to take a number for an amount.
    if (bytes[at] === ZERO && at + 1 < end && isDigit(bytes[at + 1]!)) return undefined;
    if (decimals === 0) {
      if (isGrouped || end - start === COMPACT_DATE_DIGITS) return undefined;
      return isNegative ? NUMBER : WHOLE_NUMBER;
    }
    const isMarked = isGrouped || mark !== DOT;
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
