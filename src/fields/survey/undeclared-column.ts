import { isDigit, ShapeTable, textsAlike } from "../../kernel/shapes.ts";
import {
  type Cell,
  type CellSpans,
  ESCAPED,
  expandJsonNumber,
  JsonNumber,
  NestedValue,
  NO_TEXT,
} from "../../model/rows.ts";
import { quoteText } from "../../model/text.ts";
import { scanAmount } from "../amount/amount.ts";
import type { ColumnLook, TypeDoubt } from "../columns/column-faults.ts";
import { kindOfName, type NameKind } from "../columns/name-kinds.ts";
import { monthOf } from "../date/calendar.ts";
import { scanDate, ScannedDate } from "../date/date.ts";
import { readDigits } from "../key.ts";
import { isAsciiLetter, isPlainText } from "../plain-texts.ts";
import { isBlank, showCell, trimSpaces, undoSpreadsheetText } from "../spreadsheet-text.ts";
import { KeyTally } from "./key-tally.ts";

/**
 * The form of a value by itself. `moment`: a date, year first, with a time of day; `clocked`: any other date with one;
 * `zeros`: digits with a leading zero or kept as text; `plain`: a number with a sign or a decimal point; `styled`: any
 * other amount; `priced` and `lettered`: an amount only if the letters before it are a currency, with and without a mark.
 */
const FORMS = [
  "date",
  "moment",
  "clocked",
  "whole",
  "zeros",
  "plain",
  "styled",
  "priced",
  "lettered",
  "percent",
  "null",
  "text",
] as const;
type ValueForm = (typeof FORMS)[number];

/** The facts that one value adds. */
interface ValueFacts {
  readonly form: ValueForm;
  /** True if it can be read as digits. */
  readonly isDigits: boolean;
  /** True if it holds a digit: the others are names, totals and words for "no value". */
  readonly isFigure: boolean;
  /** True for a whole number that is a date without separators. */
  readonly isCompact: boolean;
  /** The length of a whole number; 0 for other values. */
  readonly width: number;
  /** True for a date of three numbers of one or two digits. */
  readonly isShort: boolean;
  /** True if it begins as the name announces, but is no such value. */
  readonly isBegun: boolean;
}

const WORD: ValueFacts = {
  form: "text",
  isDigits: false,
  isFigure: false,
  isCompact: false,
  width: 0,
  isShort: false,
  isBegun: false,
};

type Judgement = Pick<ColumnLook, "kind" | "doubt">;

/** Excel's days and the seconds and milliseconds of Unix have so many digits in our times. */
const DAYS: Readonly<Record<number, string>> = { 5: "date:excel", 10: "date:epoch", 13: "date:epoch-ms" };
/** Codes of one length are no amounts from so many digits on. */
const CODE_WIDTH = 4;
/** Longer values are not dates or amounts. */
const LONGEST = 64;
/** So many cells are each read by themselves; the first different ones are shown. */
const FIRST_CELLS = 8;
const SAMPLES = 3;
/** The most shapes learnt for one column: there may be many columns. */
const MOST_LEARNT = 1024;
/** Added to the kind of cells whose digits are alike. */
const ALIKE = 2;

const HAS_DIGIT = /\d/;
const WHOLE_NUMBER = /^[-+]?\d+$/;
/** So many digits after a plus are a phone number. */
const PHONE = /^\+\d{7,}$/;
const PLAIN_NUMBER = /^[-+]?\d+\.\d+$/;
const PERCENT = /^[-+]?\d+(?:[.,]\d+)?\s?%$/;
const SHORT_DATE = /^\d\d?([ .-])\d\d?\1\d\d$/;
/** A date without separators, which may also be a number. */
const COMPACT_DATE = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;
const LEADING_ZERO = /^\D*0\d/;
/** A currency after the number; words that may mean anything else do not count. */
const CURRENCY_BEHIND = /\d\s?(?:eur|usd|gbp|chf|euros?|zł|kč)$/i;
const BEGINS_LIKE_A_DATE = /^\d{1,4}[/.-]\d{1,2}|^\d{5,8}$/;
/** Also `12,-`, whose dash stands for decimals. */
const SEPARATED_DIGITS = /\d[.,' \u00a0\u202f][\d\-–—]/;
/** `1,500.00 DR`: with more letters than this it is a text with a number in it. */
const MOST_LETTERS = 3;
/** Words with which databases and programs, rather than people, say that there is no value. */
const NULL_WORD = /^(?:null|\\n|nan|nat|<na>|<null>|\(null\))$/i;
/** More different words than this do not come from one program. */
const MOST_WORDS = 3;

/**
 * The values of an undeclared column, and their type or the reason why only the user can say it. The facts of a value hold
 * for others of its shape.
 */
export class UndeclaredColumn {
  readonly #name: NameKind;
  #filled = 0;
  #digits = 0;
  #figures = 0;
  #compact = 0;
  readonly #counts = Object.fromEntries(FORMS.map((form) => [form, 0])) as Record<ValueForm, number>;
  /** The first value of each form, of a short date, and of values that begin as the name announces. */
  readonly #first: Partial<Record<ValueForm | "short" | "begun", string>> = {};
  /** The words for "no value" among them. */
  readonly #nullWords = new Set<string>();
  /** The texts without a digit, as long as there are no others. */
  readonly #words = new Set<string>();
  #hasMoreTexts = false;
  /** The length of all whole numbers; -1 if they have several, 0 if there is none. */
  #width = 0;
  readonly #samples: string[] = [];
  #nested: NestedValue["what"] | undefined;
  /** Objects and arrays that are all that their rows hold. */
  #alone = 0;
  /** For a column that may be the key: how many values repeat an earlier one. */
  readonly #keys: KeyTally | undefined;
  /** The shapes of cells that were added: their places among what was learnt. */
  readonly #shapes = new ShapeTable();
  readonly #learnt: ValueFacts[] = [];

  constructor(name = "", mayBeKey = false) {
    this.#name = kindOfName(name);
    this.#keys = mayBeKey ? new KeyTally() : undefined;
  }

  /** Adds a cell that is not empty; returns its facts. */
  add(cell: Cell): ValueFacts | undefined {
    if (typeof cell === "string" && isBlank(cell)) return undefined;
    const shown = typeof cell === "string" ? trimSpaces(cell) : showCell(cell);
    this.#keys?.add(shown);
    const sample = showCell(cell);
    if (this.#filled < FIRST_CELLS && this.#samples.length < SAMPLES && !this.#samples.includes(sample))
      this.#samples.push(sample);
    if (cell instanceof NestedValue) this.#nested = this.#nested === "array" ? "array" : cell.what;
    const facts = this.#factsOf(cell);
    const { form, isFigure, isShort, isBegun } = facts;
    this.#count(facts);
    this.#first[form] ??= shown;
    if (isShort) this.#first.short ??= shown;
    if (isBegun) this.#first.begun ??= shown;
    if (form === "null" && this.#nullWords.size < MOST_WORDS) this.#nullWords.add(shown);
    if (form !== "text" || this.#hasMoreTexts) return facts;
    this.#words.add(shown);
    this.#hasMoreTexts = isFigure || typeof cell !== "string" || this.#words.size > MOST_WORDS;
    return facts;
  }

  /** Notes that the cell added next, an object or array, is all that its row holds. */
  addAlone(): void {
    this.#alone++;
  }

  /** Adds a cell like an earlier one of its shape; false if there was none, or if the cell has to be read itself. */
  addAlike(spans: CellSpans, cell: number): boolean {
    const { bytes, starts, ends, marks } = spans;
    const isShown = this.#filled < FIRST_CELLS;
    if (isShown || this.#keys !== undefined || (marks[cell]! & ESCAPED) !== 0) return false;
    const [start, end] = [starts[cell]!, ends[cell]!];
    const kind = kindOf(marks[cell]!);
    if (this.#hasMoreTexts && kind === 0 && isPlainWord(bytes, start, end)) {
      this.#count(WORD);
      return true;
    }
    const shape =
      this.#shapes.find(kind + ALIKE, true, bytes, start, end) ||
      this.#shapes.find(kind, false, bytes, start, end);
    if (shape === 0) return false;
    this.#count(this.#learnt[this.#shapes.learnt(shape)]!);
    return true;
  }

  /** Adds a cell that is not empty, and learns the facts for cells like it. */
  addSpan(spans: CellSpans, cell: number): void {
    const facts = this.add(spans.value(cell));
    if (this.#keys !== undefined || facts === undefined || this.#learnt.length >= MOST_LEARNT) return;
    const text = spans.text(cell);
    const kind = kindOf(spans.marks[cell]!);
    const areDigitsAlike = this.#areDigitsAlike(text, kind, facts);
    const place = this.#learnt.push(facts) - 1;
    this.#shapes.learn(areDigitsAlike ? kind + ALIKE : kind, areDigitsAlike, text, place);
  }

  /** The description of the values; of the `rows` seen, `repeatedRows` equal an earlier one as a whole. */
  look(rows: number, repeatedRows = 0): ColumnLook {
    const isNested = this.#nested !== undefined;
    return {
      filled: this.#filled,
      repeated: Math.max(0, (this.#keys?.repeated ?? 0) - repeatedRows),
      samples: this.#samples,
      nullWords: [...this.#nullWords],
      rows,
      alone: this.#alone,
      fits: isNested ? new Set() : this.#fits(),
      nested: this.#nested,
      ...(isNested ? certain("text") : this.#judge()),
    };
  }

  #count({ form, isDigits, isFigure, isCompact, width }: ValueFacts): void {
    this.#filled++;
    this.#counts[form]++;
    if (isDigits) this.#digits++;
    if (isFigure) this.#figures++;
    if (isCompact) this.#compact++;
    if (width > 0) this.#width = this.#width === 0 || this.#width === width ? width : -1;
  }

  /** True if texts that differ from this one in their digits only add the same facts. */
  #areDigitsAlike(text: string, kind: number, { form, isDigits }: ValueFacts): boolean {
    // Only the digits themselves show whether they are a day, and eight digits may be one.
    if (this.#name === "date" || ["date", "moment", "clocked", "null"].includes(form)) return false;
    if (!HAS_DIGIT.test(text) || /^\D*\d{8}\D*$/.test(text)) return false;
    // Other digits may make it a day of the calendar.
    if (form === "text" && !isPlainText(trimSpaces(text))) return false;
    if (kind !== 0 && !/^-?\d+(?:\.\d+)?$/.test(text)) return false;
    return textsAlike(text).every((other) => {
      const facts = this.#factsOf(kind === 0 ? other : new JsonNumber(other));
      return facts.form === form && facts.isDigits === isDigits;
    });
  }

  #factsOf(cell: Cell): ValueFacts {
    const isDigits = typeof readDigits(cell) === "string";
    const written = cell instanceof JsonNumber ? expandJsonNumber(cell.source) : cell;
    if (typeof written !== "string") return { ...WORD, isDigits, isFigure: cell instanceof JsonNumber };
    const trimmed = trimSpaces(written);
    const bare = undoSpreadsheetText(trimmed);
    const text = trimmed.length > LONGEST ? "" : bare;
    const form = this.#formOf(text, trimmed);
    return {
      form,
      isDigits,
      isFigure: HAS_DIGIT.test(trimmed),
      isCompact: COMPACT_DATE.test(bare) && scanDate(bare) instanceof ScannedDate,
      width: form !== "text" && WHOLE_NUMBER.test(text) ? text.length : 0,
      isShort: form === "date" && SHORT_DATE.test(text),
      isBegun: this.#isBegun(form, text),
    };
  }

  /** The form of a text that is not empty. */
  #formOf(text: string, trimmed: string): ValueForm {
    if (NULL_WORD.test(trimmed)) return "null";
    if (!HAS_DIGIT.test(text) || isPlainText(trimmed) || PHONE.test(text)) return "text";
    if (WHOLE_NUMBER.test(text)) {
      if (text !== trimmed || LEADING_ZERO.test(text)) return "zeros";
      return /^[-+]/.test(text) ? "plain" : "whole";
    }
    const date = scanDate(text);
    if (date instanceof ScannedDate) {
      if (!date.isTimed()) return "date";
      return /^\d{4}/.test(text) ? "moment" : "clocked";
    }
    if (PERCENT.test(text)) return "percent";
    const amount = scanAmount(text);
    if (typeof amount === "string") return "text";
    const isBare = amount.mark === -1 && amount.group === "";
    if (/[A-Za-z]/.test(text) && !CURRENCY_BEHIND.test(text)) return isBare ? "lettered" : "priced";
    const isPadded = LEADING_ZERO.test(text) && amount.mark !== 1;
    // French accounting files fill amounts up with zeros.
    if (isPadded && (this.#name !== "amount" || amount.mark === -1)) return "zeros";
    return PLAIN_NUMBER.test(text) && text === trimmed ? "plain" : "styled";
  }

  /** True for a text that begins like a date, names a month, or holds something like an amount, under a name for one. */
  #isBegun(form: ValueForm, text: string): boolean {
    if (!HAS_DIGIT.test(text)) return false;
    if (this.#name === "date") {
      if (form !== "text") return /^\d{5,8}$/.test(text);
      const words = text.match(/\p{L}+/gu) ?? [];
      return BEGINS_LIKE_A_DATE.test(text) || words.some((word) => monthOf(word) !== undefined);
    }
    if (this.#name !== "amount" || form !== "text") return false;
    return SEPARATED_DIGITS.test(text) && (text.match(/\p{L}/gu)?.length ?? 0) <= MOST_LETTERS;
  }

  /** The type of the column by all of its values and its name, or why only the user can say it. */
  #judge(): Judgement {
    const [counts, name, first] = [this.#counts, this.#name, this.#first];
    const filled = this.#filled - counts.null;
    if (this.#filled === 0) return certain("text");
    if (filled === 0) return ask(`all that it holds is ${quoteText(first.null!)}`, ["text"]);
    if (this.#dates === filled) return this.#judgeDates();
    const whole = counts.whole + counts.zeros;
    const isDigits = whole === filled && this.#digits === filled;
    if (whole + counts.plain + counts.styled !== filled) {
      const isPercent = counts.percent > 0 && counts.percent + whole === filled;
      return isPercent ? certain("text") : this.#judgeMixture(filled);
    }
    if (name === "date") return this.#judgeNumbersAsDates(filled);
    const isCode = name === "number" || (this.#width >= CODE_WIDTH && name !== "amount");
    if (counts.zeros === 0) return certain(isDigits && isCode ? "digits" : "amount");
    if (isDigits && (name !== "amount" || this.#width > 0)) return certain("digits");
    const types = isDigits ? ["digits", "amount", "text"] : ["amount", "text"];
    return ask(`${quoteText(first.zeros!)} has a leading zero, which an amount loses`, types);
  }

  #judgeDates(): Judgement {
    const { clocked, moment, short } = this.#first;
    if (clocked !== undefined)
      return ask(`${quoteText(clocked)} has a time of day, which a date loses`, ["date", "text"]);
    // Every program reads such a moment; without its time the value would change.
    if (moment !== undefined) return certain("text");
    if (short === undefined || this.#name === "date") return certain("date");
    return ask(`${quoteText(short)} may be a number of another kind`, ["date", "text"]);
  }

  #judgeNumbersAsDates(filled: number): Judgement {
    const first = this.#first;
    if (this.#compact === filled) return certain("date");
    const example = first.whole ?? first.zeros ?? first.styled ?? first.plain!;
    const days = this.#counts.whole === filled ? DAYS[this.#width] : undefined;
    return ask(
      `its name means dates, and ${quoteText(example)} is not written as one`,
      [days ?? [], "text"].flat(),
    );
  }

  /** Values of several forms: text, unless the name or many of the values say something else. */
  #judgeMixture(filled: number): Judgement {
    const [counts, name, first] = [this.#counts, this.#name, this.#first];
    const [dates, amounts, { begun }] = [this.#dates, this.#amounts, first];
    const styled = counts.styled + counts.priced;
    const isMany = dates + styled >= 2 && (dates + styled) * 3 >= filled;
    const byName =
      (name === "date" && dates > 0) || (name === "amount" && amounts > 0) || begun !== undefined;
    if (!byName && !isMany) return certain("text");
    const kind = name === "date" || (name !== "amount" && dates > styled) ? "date" : "amount";
    const fitting = kind === "date" ? dates : amounts;
    if (fitting === 0 && begun !== undefined)
      return ask(
        `its name means ${kind}s, and ${quoteText(begun)} is not written as one`,
        this.#compact > 0 ? ["date", "text"] : ["text"],
      );
    const odd = first.text ?? first.percent ?? (kind === "date" ? (first.whole ?? first.styled) : first.date);
    const why = `${fitting.toLocaleString("en")} of its ${filled.toLocaleString("en")} values read as ${kind}s${odd === undefined ? "" : `, and ${quoteText(odd)} does not`}`;
    const types = fitting === 0 ? ["text"] : fitting * 2 >= filled ? [kind, "text"] : ["text", kind];
    return ask(why, types, this.#hasMoreTexts ? [] : [...this.#words]);
  }

  /** The types that the values fit: see {@link ColumnLook}. */
  #fits(): ColumnLook["fits"] {
    const counts: Readonly<Record<ColumnLook["kind"], number>> = {
      text: Infinity,
      digits: this.#digits,
      amount: this.#amounts,
      date: this.#dates + this.#compact,
    };
    const least = Math.max(this.#figures, (this.#filled + 1) / 2);
    return new Set((["text", "digits", "amount", "date"] as const).filter((kind) => counts[kind] >= least));
  }

  get #dates(): number {
    const { date, moment, clocked } = this.#counts;
    return date + moment + clocked;
  }

  get #amounts(): number {
    const { whole, zeros, plain, styled, priced, lettered } = this.#counts;
    return whole + zeros + plain + styled + priced + lettered;
  }
}

/** True for a text without digits and accents that begins with a letter, and not as a word for "no value" does. */
function isPlainWord(bytes: Buffer, start: number, end: number): boolean {
  if (!isAsciiLetter(bytes[start]!) || (bytes[start]! | 0x20) === 0x6e) return false;
  for (let at = start; at < end; at++) if (isDigit(bytes[at]!)) return false;
  return true;
}

/** Texts and other cells are read in different ways. */
function kindOf(mark: number): number {
  return (mark & NO_TEXT) === 0 ? 0 : 1;
}

function certain(kind: ColumnLook["kind"]): Judgement {
  return { kind, doubt: undefined };
}

function ask(why: string, types: TypeDoubt["types"], words: TypeDoubt["words"] = []): Judgement {
  return { kind: "text", doubt: { why, types, words } };
}
