import { expandJsonNumber } from "../../model/json-number.ts";
import { ShapeTable, textsAlike } from "../../kernel/shapes.ts";
import {
  type Cell,
  type CellSpans,
  ESCAPED,
  JsonNumber,
  NestedValue,
  NO_TEXT,
} from "../../model/problem-groups.ts";
import { AmountScan, scanAmount } from "../amount/amount-scan.ts";
import type { ColumnLook } from "../columns/column-faults.ts";
import { kindOfName, type NameKind } from "../columns/name-kinds.ts";
import { scanDate } from "../date/date.ts";
import { monthOf } from "../date/month-names.ts";
import { DateScan } from "../date/short-years.ts";
import { readDigits } from "../digits.ts";
import { isDigit, isLetter, PlainTexts } from "../plain-texts.ts";
import { isBlank, showCell, trimSpaces, undoSpreadsheetText } from "../spreadsheet-text.ts";
import { KeyTally } from "./key-tally.ts";
import { judgeType, type ValueForm } from "./undeclared-type.ts";

const SAMPLES = 3;
/** Of a column: there may be many. */
const MOST_LEARNT = 1024;

const FORMS = [
  "date",
  "moment",
  "clocked",
  "whole",
  "signed",
  "zeros",
  "plain",
  "styled",
  "priced",
  "lettered",
  "percent",
  "null",
  "text",
] as const satisfies readonly ValueForm[];
/** Whether digits are those of a day depends on which they are. */
const DATED: ReadonlySet<ValueForm> = new Set(["date", "moment", "clocked", "null"]);
/** What was learnt of a cell: its form, and what else it counts as. */
const FORM_BITS = 15;
/** Added to the kind of cells whose digits are alike. */
const ALIKE = 2;
const [IS_DIGITS, IS_FIGURE, IS_COMPACT] = [16, 32, 64];

/** Watches the values of an undeclared column: what type they have. */
export class LookWatch {
  readonly #name: NameKind;
  readonly #forms: ValueForms;
  readonly #samples: string[] = [];
  /** What cells that were added counted as. */
  readonly #shapes: ShapeTable;
  #learnt = 0;
  readonly #counts = Object.fromEntries(FORMS.map((form) => [form, 0])) as Record<ValueForm, number>;
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
    this.#shapes = new ShapeTable();
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

  /** Adds a cell as one of the same shape was added; false if there was none, or it has to be looked at itself. */
  addAlike(spans: CellSpans, cell: number): boolean {
    const { bytes, starts, ends, marks } = spans;
    if (this.#keys !== undefined || (marks[cell]! & ESCAPED) !== 0) return false;
    const [start, end] = [starts[cell]!, ends[cell]!];
    const isWord = this.#counts.text > 0 && this.#forms.hasMoreTexts && this.#isShown();
    if (isWord && (marks[cell]! & NO_TEXT) === 0 && isPlainWord(bytes, start, end)) {
      this.#filled++;
      this.#counts.text++;
      return true;
    }
    const kind = kindOf(marks[cell]!);
    const shape =
      (this.#isShown() ? this.#shapes.find(kind + ALIKE, true, bytes, start, end) : 0) ||
      this.#shapes.find(kind, false, bytes, start, end);
    if (shape === 0) return false;
    const learnt = this.#shapes.learnt(shape);
    this.#filled++;
    this.#counts[FORMS[learnt & FORM_BITS]!]++;
    if ((learnt & IS_DIGITS) !== 0) this.#digits++;
    if ((learnt & IS_FIGURE) !== 0) this.#figures++;
    if ((learnt & IS_COMPACT) !== 0) this.#forms.compact++;
    return true;
  }

  /** Adds a cell that is not empty, and learns what cells like it count as. */
  addSpan(spans: CellSpans, cell: number): void {
    const [digits, figures] = [this.#digits, this.#figures];
    const { compact } = this.#forms;
    const counts = { ...this.#counts };
    this.add(spans.value(cell));
    const form = FORMS.find((form) => this.#counts[form] > counts[form]);
    if (this.#keys !== undefined || form === undefined || this.#learnt >= MOST_LEARNT) return;
    const isDigits = this.#digits > digits;
    const text = spans.text(cell);
    const kind = kindOf(spans.marks[cell]!);
    const areDigitsAlike = this.#areAlike(text, kind, form, isDigits);
    if (areDigitsAlike && !this.#isShown()) return;
    const learnt =
      FORMS.indexOf(form) |
      (isDigits ? IS_DIGITS : 0) |
      (this.#figures > figures ? IS_FIGURE : 0) |
      (this.#forms.compact > compact ? IS_COMPACT : 0);
    this.#learnt++;
    this.#shapes.learn(areDigitsAlike ? kind + ALIKE : kind, areDigitsAlike, text, learnt);
  }

  /** True if texts that differ from this one in their digits only count as the same. */
  #areAlike(text: string, kind: number, form: ValueForm, isDigits: boolean): boolean {
    // Eight digits may be a day.
    if (this.#name === "date" || DATED.has(form) || /^\D*\d{8}\D*$/.test(text)) return false;
    if (!HAS_DIGIT.test(text)) return false;
    // With other digits it may be a day that there is.
    if (form === "text" && !this.#forms.isText(trimSpaces(text))) return false;
    if (kind !== 0 && !/^-?\d+(?:\.\d+)?$/.test(text)) return false;
    return textsAlike(text).every((other) => {
      const value = kind === 0 ? other : new JsonNumber(other);
      const isAlike = new ValueForms(this.#name).of(trimSpaces(other)) === form;
      return isAlike && (typeof readDigits(value) === "string") === isDigits;
    });
  }

  /** True if no cell becomes a sample any more. */
  #isShown(): boolean {
    return this.#samples.length >= SAMPLES;
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

  /** True if a trimmed text with a digit is a text whatever its digits are. */
  isText(trimmed: string): boolean {
    return this.#texts.hasText(trimmed);
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

/** True for a text without digits and accents that begins with a letter, and not as a word for "no value" does. */
function isPlainWord(bytes: Buffer, start: number, end: number): boolean {
  if (!isLetter(bytes[start]!) || (bytes[start]! | 0x20) === 0x6e) return false;
  for (let at = start; at < end; at++) if (isDigit(bytes[at]!)) return false;
  return true;
}

/** Texts, and what is none, are read in different ways. */
function kindOf(mark: number): number {
  return (mark & NO_TEXT) === 0 ? 0 : 1;
}
