import { expandJsonNumber } from "../../model/json-number.ts";
import { type Cell, JsonNumber } from "../../model/rows.ts";
import { quoteText } from "../../model/text.ts";
import { AmountScan, scanAmount } from "../amount/amount.ts";
import type { ColumnLook, TypeDoubt } from "../columns/column-faults.ts";
import { kindOfName, type NameKind } from "../columns/name-kinds.ts";
import { DateScan } from "../date/date-scan.ts";
import { scanDate } from "../date/date.ts";
import { monthOf } from "../date/month-names.ts";
import { readDigits } from "../digits.ts";
import { PlainTexts } from "../plain-texts.ts";
import { showCell, trimSpaces, undoSpreadsheetText } from "../spreadsheet-text.ts";

/**
 * What a value is by itself. `moment`: a date, year first, with a time of day; `clocked`: any other date with one; `zeros`: digits
 * with a leading zero or kept as text; `plain`: a number with a sign or a decimal point; `styled`: any other amount; `priced` and
 * `lettered`: an amount only if the letters before it are a currency, with and without a mark.
 */
const VALUE_FORMS = [
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
/** See {@link VALUE_FORMS}. */
export type ValueForm = (typeof VALUE_FORMS)[number];

/** What one value counts as. */
export interface ValueFacts {
  readonly form: ValueForm;
  /** True if it can be read as digits. */
  readonly isDigits: boolean;
  /** True if it holds a digit: the others are names, totals and words for "no value". */
  readonly isFigure: boolean;
  /** True for a whole number that is a date without separators. */
  readonly isCompact: boolean;
}

type Judgement = Pick<ColumnLook, "kind" | "doubt">;

/** Excel's days and the seconds and milliseconds of Unix have so many digits in our times. */
const DAYS: Readonly<Record<number, string>> = { 5: "date:excel", 10: "date:epoch", 13: "date:epoch-ms" };
/** Codes of one length are no amounts from so many digits on. */
const CODE_WIDTH = 4;
/** Longer values are not dates or amounts. */
const LONGEST = 64;

const HAS_DIGIT = /\d/;
const HAS_SIGN = /^[-+]/;
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
/** Also `12,-`, whose dash stands for decimals. */
const SEPARATED_DIGITS = /\d[.,' \u00a0\u202f][\d\-–—]/;
/** `1,500.00 DR`: with more letters than this it is a text with a number in it. */
const MOST_LETTERS = 3;
/** Words with which databases and programs, rather than people, say that there is no value. */
const NULL_WORD = /^(?:null|\\n|nan|nat|<na>|<null>|\(null\))$/i;
/** More different words than this do not come from one program. */
const MOST_WORDS = 3;

/** What was seen of the values of an undeclared column: the type that they have, or why only the user can say it. */
export class SeenValues {
  readonly name: NameKind;
  filled = 0;
  #digits = 0;
  #figures = 0;
  #compact = 0;
  readonly counts = Object.fromEntries(VALUE_FORMS.map((form) => [form, 0])) as Record<ValueForm, number>;
  /** The first value of each form. */
  readonly first: Partial<Record<ValueForm, string>> = {};
  /** The words for "no value" among them. */
  readonly nullWords = new Set<string>();
  /** True once there are more texts than a few words. */
  hasMoreTexts = false;
  /** The texts without a digit, as long as there are no others. */
  readonly #words: string[] = [];
  /** The length of all whole numbers; -1 if they have several, 0 if there is none. */
  #width = 0;
  /** A date of three numbers of one or two digits. */
  #short: string | undefined;
  /** A value that begins like what the name says, although it is none. */
  #begun: string | undefined;
  readonly #texts = new PlainTexts();
  readonly #date = new DateScan();
  readonly #amount = new AmountScan();

  constructor(name: string) {
    this.name = kindOfName(name);
  }

  /** Adds a cell that is not empty; returns what it counts as. */
  add(cell: Cell): ValueFacts {
    const written = cell instanceof JsonNumber ? expandJsonNumber(cell.source) : cell;
    const isText = typeof written === "string";
    const shown = isText ? trimSpaces(written) : showCell(cell);
    if (!isText) this.hasMoreTexts = true;
    const facts = {
      form: isText ? this.formOf(shown) : "text",
      isDigits: typeof readDigits(cell) === "string",
      isFigure: cell instanceof JsonNumber || (typeof cell === "string" && HAS_DIGIT.test(cell)),
      isCompact: isText && this.#isCompact(shown),
    };
    this.count(facts);
    this.first[facts.form] ??= shown;
    return facts;
  }

  /** Adds a cell that counts as one that was added. */
  count({ form, isDigits, isFigure, isCompact: isDate }: ValueFacts): void {
    this.filled++;
    this.counts[form]++;
    if (isDigits) this.#digits++;
    if (isFigure) this.#figures++;
    if (isDate) this.#compact++;
  }

  /** The type of the column by all of its values and its name, or why only the user can say it. */
  judge(): Judgement {
    const { counts, name, first } = this;
    const filled = this.filled - counts.null;
    if (this.filled === 0) return certain("text");
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
    const { counts, first } = this;
    if (counts.clocked > 0) {
      return ask(`${quoteText(first.clocked!)} has a time of day, which a date loses`, ["date", "text"]);
    }
    // Every program reads such a moment, and without its time it would be another value.
    if (counts.moment > 0) return certain("text");
    if (this.#short === undefined || this.name === "date") return certain("date");
    return ask(`${quoteText(this.#short)} may be a number of another kind`, ["date", "text"]);
  }

  #judgeNumbersAsDates(filled: number): Judgement {
    const { counts, first } = this;
    if (this.#compact === filled) return certain("date");
    const example = first.whole ?? first.zeros ?? first.styled ?? first.plain!;
    const days = counts.whole === filled ? DAYS[this.#width] : undefined;
    return ask(
      `its name says dates, and ${quoteText(example)} is none as it stands`,
      [days ?? [], "text"].flat(),
    );
  }

  /** Values of several forms: text, unless the name or many of the values say something else. */
  #judgeMixture(filled: number): Judgement {
    const { counts, name, first } = this;
    const [dates, amounts, begun] = [this.#dates, this.#amounts, this.#begun];
    const styled = counts.styled + counts.priced;
    const isMany = dates + styled >= 2 && (dates + styled) * 3 >= filled;
    const byName =
      (name === "date" && dates > 0) || (name === "amount" && amounts > 0) || begun !== undefined;
    if (!byName && !isMany) return certain("text");
    const kind = name === "date" || (name !== "amount" && dates > styled) ? "date" : "amount";
    const fitting = kind === "date" ? dates : amounts;
    const odd = first.text ?? first.percent ?? (kind === "date" ? (first.whole ?? first.styled) : first.date);
    const why =
      fitting === 0 && begun !== undefined
        ? `its name says ${kind}s, and ${quoteText(begun)} is none as it stands`
        : `${fitting.toLocaleString("en")} of its ${filled.toLocaleString("en")} values read as ${kind}s${odd === undefined ? "" : `, and ${quoteText(odd)} does not`}`;
    if (fitting === 0) return ask(why, ["text"]);
    return ask(
      why,
      fitting * 2 >= filled ? [kind, "text"] : ["text", kind],
      this.hasMoreTexts ? [] : this.#words,
    );
  }

  /** The types that the values fit: see {@link ColumnLook}. */
  fits(): ColumnLook["fits"] {
    const counts: Readonly<Record<ColumnLook["kind"], number>> = {
      text: Infinity,
      digits: this.#digits,
      amount: this.#amounts,
      date: this.#dates + this.#compact,
    };
    const least = Math.max(this.#figures, (this.filled + 1) / 2);
    return new Set((["text", "digits", "amount", "date"] as const).filter((kind) => counts[kind] >= least));
  }

  get #dates(): number {
    const { date, moment, clocked } = this.counts;
    return date + moment + clocked;
  }

  get #amounts(): number {
    const { whole, zeros, plain, styled, priced, lettered } = this.counts;
    return whole + zeros + plain + styled + priced + lettered;
  }

  /** The form of a trimmed text that is not empty. */
  formOf(trimmed: string): ValueForm {
    if (NULL_WORD.test(trimmed)) {
      if (this.nullWords.size < MOST_WORDS) this.nullWords.add(trimmed);
      return "null";
    }
    if (!HAS_DIGIT.test(trimmed)) {
      this.#addWord(trimmed);
      return "text";
    }
    const text = trimmed.length > LONGEST ? "" : undoSpreadsheetText(trimmed);
    const form = this.#texts.has(trimmed) ? "text" : this.#formOfNumber(text, trimmed);
    if (form !== "text") {
      if (this.name === "date" && /^\d{5,8}$/.test(text)) this.#begun ??= trimmed;
      return form;
    }
    this.hasMoreTexts = true;
    if (this.#begun === undefined && this.#beginsAsNamed(text)) this.#begun = trimmed;
    return "text";
  }

  /** True if a trimmed text with a digit is a text whatever its digits are. */
  isText(trimmed: string): boolean {
    return this.#texts.has(trimmed);
  }

  #formOfNumber(text: string, trimmed: string): ValueForm {
    if (PHONE.test(text)) return "text";
    if (WHOLE_NUMBER.test(text)) return this.#formOfWhole(text, trimmed);
    const date = this.#date;
    if (scanDate(text, date) === undefined && (date.form === 0 || date.possibleOrders() !== 0)) {
      if (SHORT_DATE.test(text)) this.#short ??= text;
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
    if (isPadded && (this.name !== "amount" || amount.mark === -1)) return "zeros";
    return PLAIN_NUMBER.test(text) && text === trimmed ? "plain" : "styled";
  }

  #formOfWhole(text: string, trimmed: string): ValueForm {
    this.#width = this.#width === 0 || this.#width === text.length ? text.length : -1;
    if (text !== trimmed || LEADING_ZERO.test(text)) return "zeros";
    return HAS_SIGN.test(text) ? "plain" : "whole";
  }

  #isCompact(trimmed: string): boolean {
    const text = undoSpreadsheetText(trimmed);
    return COMPACT_DATE.test(text) && scanDate(text, this.#date) === undefined;
  }

  #addWord(word: string): void {
    if (this.hasMoreTexts || this.#words.includes(word)) return;
    if (this.#words.length < MOST_WORDS) this.#words.push(word);
    else this.hasMoreTexts = true;
  }

  /** True for a text that begins like a date, names a month, or holds something like an amount, under a name for one. */
  #beginsAsNamed(text: string): boolean {
    if (this.name === "date") {
      const words = text.match(/\p{L}+/gu) ?? [];
      return BEGINS_LIKE_A_DATE.test(text) || words.some((word) => monthOf(word) !== undefined);
    }
    if (this.name !== "amount") return false;
    return SEPARATED_DIGITS.test(text) && (text.match(/\p{L}/gu)?.length ?? 0) <= MOST_LETTERS;
  }
}

function certain(kind: ColumnLook["kind"]): Judgement {
  return { kind, doubt: undefined };
}

function ask(why: string, types: TypeDoubt["types"], words: TypeDoubt["words"] = []): Judgement {
  return { kind: "text", doubt: { why, types, words } };
}
