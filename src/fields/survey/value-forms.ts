import type { NameKind } from "../columns/name-kinds.ts";
import { AmountScan, scanAmount } from "../amount/amount-scan.ts";
import { DateScan } from "../date/date-scan.ts";
import { scanDate } from "../date/date.ts";
import { monthOf } from "../date/month-names.ts";
import { isDigit, PlainTexts } from "../plain-texts.ts";
import { undoSpreadsheetText } from "../spreadsheet-text.ts";
import type { ValueForm } from "./undeclared-type.ts";

/** Longer values are not dates or amounts. */
const LONGEST = 64;

const HAS_DIGIT = /\d/;
const WHOLE_NUMBER = /^[-+]?\d+$/;
/** So many digits after a plus are a phone number. */
const PHONE = /^\+\d{7,}$/;
const PLAIN_NUMBER = /^[-+]?\d+\.\d+$/;
const PERCENT = /^[-+]?\d+(?:[.,]\d+)?\s?%$/;
const SHORT_DATE = /^\d\d?([ .-])\d\d?\1\d\d$/;
/** A date without separators, which may also be a number. */
const COMPACT_DATE = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;
const YEAR_FIRST = /^\d{4}/;
const LEADING_ZERO = /^\D*0\d/;
/** A currency after the number, as words that could be anything else are none. */
const CURRENCY_BEHIND = /\d\s?(?:eur|usd|gbp|chf|euros?|zł|kč)$/i;
const BEGINS_LIKE_A_DATE = /^\d{1,4}[/.-]\d{1,2}|^\d{5,8}$/;
const NAMED_MONTH = /^(\p{L}+)[ ./-]*\d{2,4}/u;
const SEPARATED_DIGITS = /\d[.,' \u00a0\u202f]\d/;
/** `1,500.00 DR`: with more letters than this it is a text with a number in it. */
const MOST_LETTERS = 3;
/** Words with which databases and programs, rather than people, say that there is no value. */
const NULL_WORD = /^(?:null|\\n|nan|nat|<na>|<null>|\(null\))$/i;
/** More different words than this do not come from one program. */
const MOST_WORDS = 3;

/** Tells the form of each value of a column by itself, and keeps what else its type depends on. */
export class ValueForms {
  /** The words for "no value" among them. */
  readonly nullWords = new Set<string>();
  /** The texts without a digit, as long as they are a few. */
  readonly words: string[] = [];
  /** True once there are other texts. */
  hasMoreTexts = false;
  /** See `SeenValues`. */
  width = 0;
  compact = 0;
  short: string | undefined;
  begun: string | undefined;
  readonly #name: NameKind;
  readonly #texts = new PlainTexts();
  readonly #date = new DateScan();
  readonly #amount = new AmountScan();

  constructor(name: NameKind) {
    this.#name = name;
  }

  /** The form of a trimmed text that is not empty. */
  of(trimmed: string): ValueForm {
    if (NULL_WORD.test(trimmed)) {
      if (this.nullWords.size < MOST_WORDS) this.nullWords.add(trimmed);
      return "null";
    }
    if (!HAS_DIGIT.test(trimmed)) {
      this.#addWord(trimmed);
      return "text";
    }
    const text = trimmed.length > LONGEST ? "" : undoSpreadsheetText(trimmed);
    const form = this.#texts.hasText(trimmed) ? "text" : this.#formOfNumber(text, trimmed);
    if (form !== "text") {
      if (this.#name === "date" && /^\d{5,8}$/.test(text)) this.begun ??= trimmed;
      return form;
    }
    this.hasMoreTexts = true;
    if (this.begun === undefined && this.#beginsAsNamed(text)) this.begun = trimmed;
    return "text";
  }

  #formOfNumber(text: string, trimmed: string): ValueForm {
    if (PHONE.test(text)) return "text";
    if (WHOLE_NUMBER.test(text)) return this.#formOfWhole(text, trimmed);
    const date = this.#date;
    if (scanDate(text, date) === undefined && (date.form === 0 || date.possibleOrders() !== 0)) {
      if (SHORT_DATE.test(text)) this.short ??= text;
      if (!date.isTimed()) return "date";
      return YEAR_FIRST.test(text) ? "moment" : "clocked";
    }
    if (PERCENT.test(text)) return "percent";
    const amount = this.#amount;
    if (scanAmount(text, amount) !== undefined) return "text";
    const isBare = amount.mark === -1 && amount.group === 0;
    if (/[A-Za-z]/.test(text) && !CURRENCY_BEHIND.test(text)) return isBare ? "lettered" : "priced";
    const isPadded = LEADING_ZERO.test(text) && amount.mark !== amount.start + 1;
    // French accounting files fill amounts up with zeros.
    if (isPadded && (this.#name !== "amount" || amount.mark === -1)) return "zeros";
    return PLAIN_NUMBER.test(text) && text === trimmed ? "plain" : "styled";
  }

  #formOfWhole(text: string, trimmed: string): ValueForm {
    this.addWidth(text.length);
    if (COMPACT_DATE.test(text) && scanDate(text, this.#date) === undefined) this.compact++;
    if (text !== trimmed || LEADING_ZERO.test(text)) return "zeros";
    return isDigit(text.charCodeAt(0)) ? "whole" : "signed";
  }

  /** Notes the length of a whole number. */
  addWidth(width: number): void {
    this.width = this.width === 0 || this.width === width ? width : -1;
  }

  #addWord(word: string): void {
    if (this.hasMoreTexts || this.words.includes(word)) return;
    if (this.words.length < MOST_WORDS) this.words.push(word);
    else this.hasMoreTexts = true;
  }

  /** True for a text that begins like a date or holds something like an amount, under a name for one. */
  #beginsAsNamed(text: string): boolean {
    if (this.#name === "date") {
      const [, word] = NAMED_MONTH.exec(text) ?? [];
      return BEGINS_LIKE_A_DATE.test(text) || (word !== undefined && monthOf(word) !== undefined);
    }
    if (this.#name !== "amount") return false;
    return SEPARATED_DIGITS.test(text) && (text.match(/\p{L}/gu)?.length ?? 0) <= MOST_LETTERS;
  }
}
