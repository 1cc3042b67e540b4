import { expandJsonNumber } from "../../model/json-number.ts";
import { type Cell, JsonNumber, NestedValue } from "../../model/problem-groups.ts";
import { AmountScan, scanAmount } from "../amount/amount-scan.ts";
import type { ColumnLook } from "../columns/column-faults.ts";
import { kindOfName, type NameKind } from "../columns/name-kinds.ts";
import { scanDate } from "../date/date.ts";
import { monthOf } from "../date/month-names.ts";
import { DATE_FORMS, dateFormOf, SeenDates } from "../date/seen-dates.ts";
import { DateScan } from "../date/short-years.ts";
import { readDigits } from "../digits.ts";
import { holdsDigit, isDigit, PlainTexts } from "../plain-texts.ts";
import { isBlank, showCell, trimSpaces, undoSpreadsheetText } from "../spreadsheet-text.ts";
import { KeyTally } from "./key-tally.ts";
import { judgeType, PlainLooks, type ValueForm } from "./undeclared-type.ts";

const SAMPLES = 3;
const COMPACT_DATE_DIGITS = 8;

/** Watches the values of an undeclared column: what type they have. */
export class LookWatch {
  readonly #name: NameKind;
  readonly #forms: ValueForms;
  readonly #samples: string[] = [];
  readonly #plain = new PlainLooks();
  /** Dates that count as nothing else. */
  readonly #seenDates = new SeenDates();
  readonly #counts: Record<ValueForm, number> = {
    date: 0,
    moment: 0,
    clocked: 0,
    whole: 0,
    signed: 0,
    zeros: 0,
    plain: 0,
    styled: 0,
    priced: 0,
    lettered: 0,
    percent: 0,
    null: 0,
    text: 0,
  };
  readonly #first: Partial<Record<ValueForm, string>> = {};
  #filled = 0;
  /** Values with a digit: the others are names, totals and words for "no value". */
  #figures = 0;
  #nested: NestedValue["what"] | undefined;
  /** Objects and arrays that are all that their rows hold. */
  #alone = 0;
  #digits = 0;
  /** Of a column that may be the key: how many of its values are there again. */
  readonly #keys: KeyTally | undefined;

  constructor(name = "", mayBeKey = false) {
    this.#name = kindOfName(name);
    this.#forms = new ValueForms(this.#name);
    this.#keys = mayBeKey ? new KeyTally() : undefined;
  }

  /** Adds a cell that is not empty. */
  add(cell: Cell): void {
    if (typeof cell === "string" && isBlank(cell)) return;
    this.#filled++;
    this.#keys?.add(typeof cell === "string" ? trimSpaces(cell) : showCell(cell));
    if (this.#samples.length < SAMPLES) {
      const shown = showCell(cell);
      if (!this.#samples.includes(shown)) this.#samples.push(shown);
    }
    if (cell instanceof NestedValue) this.#nested = this.#nested === "array" ? "array" : cell.what;
    if (typeof readDigits(cell) === "string") this.#digits++;
    if (cell instanceof JsonNumber || (typeof cell === "string" && /\d/.test(cell))) this.#figures++;
    const written = cell instanceof JsonNumber ? expandJsonNumber(cell.source) : cell;
    if (typeof written === "string") this.#note(this.#forms.of(trimSpaces(written)), trimSpaces(written));
    else {
      this.#forms.hasMoreTexts = true;
      this.#note("text", showCell(cell));
    }
  }

  /** Notes that the cell added next, an object or array, is all that its row holds. */
  addAlone(): void {
    this.#alone++;
  }

  /**
   * Adds a cell from its bytes, which are its text in UTF-8; false if it was not added, because it needs a closer look.
   */
  addBytes(bytes: Buffer, start: number, end: number): boolean {
    if (this.#mayBeNew(bytes, start, end)) return false;
    const way = dateFormOf(bytes, start, end);
    const code = this.#seenDates.codeOf(bytes, start, way);
    if (code >= 0) {
      if (this.#seenDates.has(code, way)) {
        const isYearFirst = isDigit(bytes[start + 3]!);
        const isCounted = this.#count(way !== DATE_FORMS.timed ? "date" : isYearFirst ? "moment" : "clocked");
        if (isCounted) this.#figures++;
        return isCounted;
      }
      const before = this.#dates;
      this.add(bytes.toString("latin1", start, end));
      if (this.#dates > before) this.#seenDates.add(code, way);
      return true;
    }
    const look = this.#plain.lookAt(bytes, start, end);
    if (look === undefined) return false;
    if (!look.isAmount) {
      const isOpen = (this.#name === "date" || this.#name === "amount") && this.#forms.begun === undefined;
      const isKnown = this.#forms.hasMoreTexts || isAmong(this.#forms.words, bytes, start, end);
      if (isOpen || !isKnown || !this.#count("text")) return false;
      if (holdsDigit(bytes, start, end)) this.#figures++;
      return true;
    }
    if (this.#name === "date") return false;
    if (look.isMarked || look.isPriced) {
      if (!this.#count(look.isMarked ? "styled" : "plain")) return false;
    } else if (!this.#count(look.isDigits ? "whole" : "signed")) return false;
    else this.#forms.addWidth(end - start);
    this.#figures++;
    if (look.isDigits) this.#digits++;
    return true;
  }

  /** The same for a number of JSON. */
  addNumber(bytes: Buffer, start: number, end: number): boolean {
    if (this.#mayBeNew(bytes, start, end) || this.#name === "date") return false;
    for (let at = start; at < end; at++) if (!isDigit(bytes[at]!)) return false;
    if (end - start === COMPACT_DATE_DIGITS || !this.#count("whole")) return false;
    this.#forms.addWidth(end - start);
    this.#figures++;
    this.#digits++;
    return true;
  }

  /** True if a cell may become a sample, or counts as a key. */
  #mayBeNew(bytes: Buffer, start: number, end: number): boolean {
    if (this.#keys !== undefined) return true;
    return this.#samples.length < SAMPLES && !isAmong(this.#samples, bytes, start, end);
  }

  /** Counts one more value of a form; false for the first one, which may have to be shown. */
  #count(form: ValueForm): boolean {
    if (this.#counts[form] === 0) return false;
    this.#filled++;
    this.#counts[form]++;
    return true;
  }

  #note(form: ValueForm, shown: string): void {
    this.#counts[form]++;
    this.#first[form] ??= shown;
  }

  get #dates(): number {
    const { date, moment, clocked } = this.#counts;
    return date + moment + clocked;
  }

  /** True if a cell was added. */
  get isFilled(): boolean {
    return this.#filled > 0;
  }

  /** What the values look like; of the `rows` looked at, `repeatedRows` equal an earlier one as a whole. */
  look(rows: number, repeatedRows = 0): ColumnLook {
    const seen = {
      filled: this.#filled,
      repeated: Math.max(0, (this.#keys?.repeated ?? 0) - repeatedRows),
      samples: this.#samples,
      nullWords: [...this.#forms.nullWords],
      rows,
      alone: this.#alone,
      fits: this.#fits(),
      misfits: this.#misfits(),
      nested: this.#nested,
    };
    if (this.#nested !== undefined) return { ...seen, kind: "text", doubt: undefined };
    const judged = judgeType({
      name: this.#name,
      filled: this.#filled,
      digits: this.#digits,
      counts: this.#counts,
      first: this.#first,
      width: this.#forms.width,
      compact: this.#forms.compact,
      short: this.#forms.short,
      begun: this.#forms.begun,
      words: this.#forms.hasMoreTexts ? [] : this.#forms.words,
    });
    return { ...seen, ...judged };
  }

  #fits(): ColumnLook["fits"] {
    const counts = this.#fitting();
    const kinds = ["text", "digits", "amount", "date"] as const;
    return new Set(kinds.filter((kind) => this.#nested === undefined && counts[kind] * 2 > this.#filled));
  }
  #misfits(): ColumnLook["misfits"] {
    const { digits, amount, date } = this.#fitting();
    const lacking = (count: number): number => Math.max(0, this.#figures - count);
    return { text: 0, digits: lacking(digits), amount: lacking(amount), date: lacking(date) };
  }

  /** How many values fit each type. */
  #fitting(): Readonly<Record<ColumnLook["kind"], number>> {
    const { whole, signed, zeros, plain, styled, priced, lettered } = this.#counts;
    return {
      text: Infinity,
      digits: this.#digits,
      amount: whole + signed + zeros + plain + styled + priced + lettered,
      date: this.#dates + this.#forms.compact,
    };
  }
}

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

/** True if some bytes of UTF-8 are certainly the text of one of the samples. */
function isAmong(samples: readonly Cell[], bytes: Buffer, start: number, end: number): boolean {
  for (const sample of samples) if (isSame(sample, bytes, start, end)) return true;
  return false;
}

function isSame(sample: Cell, bytes: Buffer, start: number, end: number): boolean {
  if (typeof sample !== "string" || sample.length > end - start) return false;
  let place = start;
  for (let at = 0; at < sample.length; at++) {
    const code = sample.charCodeAt(at);
    if (code < 0x80) {
      if (bytes[place] !== code) return false;
      place += 1;
    } else if (code < 0x800) {
      if (bytes[place] !== (0xc0 | (code >> 6)) || bytes[place + 1] !== (0x80 | (code & 0x3f))) return false;
      place += 2;
    } else return false;
  }
  return place === end;
}
