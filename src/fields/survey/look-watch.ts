import { JsonNumber, NestedValue, type Cell } from "../../model/row.ts";
import { quoteText } from "../../model/visible-text.ts";
import { AmountScan, scanAmount } from "../amount/amount-scan.ts";
import { showCell } from "../cell-text.ts";
import type { ColumnLook } from "../columns/column-look.ts";
import { scanDate } from "../date/date.ts";
import { readDigits } from "../digits.ts";
import { DateScan } from "../date/date-scan.ts";
import { dateFormOf, SeenDates } from "../date/seen-dates.ts";
import { holdsDigit, isDigit } from "../plain-texts.ts";
import { isBlank, trimSpaces } from "../spaces.ts";
import { undoSpreadsheetText } from "../spreadsheet-text.ts";
import { KeyTally } from "./key-tally.ts";
import { PlainLooks } from "./plain-look.ts";
import { isAmong } from "./sampled-bytes.ts";

const SAMPLES = 3;
/** Longer values are not dates or amounts. */
const LONGEST = 64;

const HAS_DIGIT = /\d/;
const ONLY_DIGITS = /^\d+$/;
/** A number in the form that records have: nothing would be converted. */
const PLAIN_NUMBER = /^[-+]?\d+(?:\.\d+)?$/;
/** A point that may be a decimal mark or may group thousands. */
const LONE_GROUP = /^[-+]?[1-9]\d{0,2}\.\d{3}$/;
const SHORT_DATE = /^\d\d?([ .-])\d\d?\1\d\d$/;
/** A date without separators, which may also be a number. */
const COMPACT_DATE = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;
const LEADING_ZERO = /^\D*0\d/;
/** Words with which databases and programs, rather than people, say that there is no value. */
const NULL_WORD = /^(?:null|\\n|nan|nat|<na>|<null>|\(null\))$/i;
/** More different words than this do not come from one program. */
const MOST_NULL_WORDS = 3;

/** Watches the values of an undeclared column: whether most of them are dates or amounts. */
export class LookWatch {
  readonly #date = new DateScan();
  readonly #amount = new AmountScan();
  readonly #samples: string[] = [];
  readonly #nullWords = new Set<string>();
  readonly #plain = new PlainLooks();
  /** Dates that count as nothing else and raise no doubt. */
  readonly #seenDates = new SeenDates();
  #filled = 0;
  #nested: NestedValue["what"] | undefined;
  /** Objects and arrays that are all that their rows hold. */
  #alone = 0;
  /** Values with a digit: the others are names, totals and words for "no value". */
  #figures = 0;
  #digits = 0;
  #dates = 0;
  #amounts = 0;
  /** Amounts that are not written as in a record. */
  #marked = 0;
  /** Amounts with decimals or a currency. */
  #priced = 0;
  #timed: string | undefined;
  #compact: string | undefined;
  #short: string | undefined;
  #zeros: string | undefined;
  #grouped: string | undefined;
  /** Of a column that may be the key: how many of its values are there again. */
  readonly #keys: KeyTally | undefined;

  constructor(mayBeKey = false) {
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
    if (cell instanceof JsonNumber) {
      this.#amounts++;
      this.#figures++;
    }
    if (typeof cell !== "string") {
      if (typeof readDigits(cell) === "string") this.#digits++;
      return;
    }
    const trimmed = trimSpaces(cell);
    if (NULL_WORD.test(trimmed) && this.#nullWords.size < MOST_NULL_WORDS) this.#nullWords.add(trimmed);
    if (!HAS_DIGIT.test(trimmed)) return;
    this.#figures++;
    if (this.#plain.isText(trimmed)) return;
    if (typeof readDigits(trimmed) === "string") this.#digits++;
    if (trimmed.length > LONGEST) return;
    const text = undoSpreadsheetText(trimmed);
    if (PLAIN_NUMBER.test(text) && !LONE_GROUP.test(text)) {
      this.#amounts++;
      if (text !== trimmed && text.includes(".")) this.#marked++;
      if (text.includes(".")) this.#priced++;
      if (COMPACT_DATE.test(text)) {
        this.#dates++;
        this.#compact ??= text;
      }
    } else {
      this.#addAmount(text);
      this.#addDate(text);
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
    const form = dateFormOf(bytes, start, end);
    const code = this.#seenDates.codeOf(bytes, start, form);
    if (code >= 0) {
      if (this.#seenDates.has(code, form)) {
        this.#filled++;
        this.#figures++;
        this.#dates++;
        return true;
      }
      const dates = this.#dates;
      this.add(bytes.toString("latin1", start, end));
      if (this.#dates > dates) this.#seenDates.add(code, form);
      return true;
    }
    const look = this.#plain.lookAt(bytes, start, end);
    if (look === undefined) return false;
    this.#filled++;
    if (look.isAmount || holdsDigit(bytes, start, end)) this.#figures++;
    if (look.isDigits) this.#digits++;
    if (look.isAmount) this.#amounts++;
    if (look.isMarked) this.#marked++;
    if (look.isPriced) this.#priced++;
    return true;
  }

  /** The same for a number of JSON. */
  addNumber(bytes: Buffer, start: number, end: number): boolean {
    if (this.#mayBeNew(bytes, start, end)) return false;
    for (let at = start; at < end; at++) if (!isDigit(bytes[at]!)) return false;
    this.#filled++;
    this.#figures++;
    this.#amounts++;
    this.#digits++;
    return true;
  }

  /** True if a cell may become a sample, or counts as a key. */
  #mayBeNew(bytes: Buffer, start: number, end: number): boolean {
    if (this.#keys !== undefined) return true;
    return this.#samples.length < SAMPLES && !isAmong(this.#samples, bytes, start, end);
  }

  /** True if a cell was added. */
  get isFilled(): boolean {
    return this.#filled > 0;
  }

  /** What most of the values look like; `rows` is the number of rows looked at. */
  look(rows: number): ColumnLook {
    const seen = {
      filled: this.#filled,
      repeated: this.#keys?.repeated ?? 0,
      samples: this.#samples,
      nullWords: [...this.#nullWords],
      rows,
      alone: this.#alone,
      fits: this.#fits(),
      misfits: this.#misfits(),
    };
    if (this.#nested !== undefined) return { ...seen, kind: "text", nested: this.#nested, doubt: undefined };
    const found = { ...seen, nested: undefined };
    if (this.#dates * 2 > this.#filled) return { ...found, kind: "date", doubt: this.#dateDoubt() };
    if (this.#amounts * 2 > this.#filled && this.#marked > 0)
      return { ...found, kind: "amount", doubt: this.#amountDoubt() };
    return { ...found, kind: "text", doubt: undefined };
  }

  #fits(): ColumnLook["fits"] {
    const counts = this.#counts();
    const kinds = ["text", "digits", "amount", "date"] as const;
    return new Set(kinds.filter((kind) => this.#nested === undefined && counts[kind] * 2 > this.#filled));
  }

  #misfits(): ColumnLook["misfits"] {
    const { digits, amount, date } = this.#counts();
    const lacking = (count: number): number => Math.max(0, this.#figures - count);
    return { text: 0, digits: lacking(digits), amount: lacking(amount), date: lacking(date) };
  }

  #counts(): Readonly<Record<ColumnLook["kind"], number>> {
    return { text: Infinity, digits: this.#digits, amount: this.#amounts, date: this.#dates };
  }

  #addDate(text: string): void {
    const date = this.#date;
    if (ONLY_DIGITS.test(text) || scanDate(text, date) !== undefined) return;
    if (date.form !== 0 && date.possibleOrders() === 0) return;
    this.#dates++;
    if (date.isTimed()) this.#timed ??= text;
    if (SHORT_DATE.test(text)) this.#short ??= text;
  }

  #addAmount(text: string): void {
    const amount = this.#amount;
    if (scanAmount(text, amount) !== undefined) return;
    this.#amounts++;
    this.#marked++;
    if (LEADING_ZERO.test(text) && amount.mark !== amount.start + 1) this.#zeros ??= text;
    const isPriced = amount.currency !== "" || (amount.mark !== -1 && !amount.isAmbiguous());
    if (isPriced) this.#priced++;
    else this.#grouped ??= text;
  }

  #dateDoubt(): string | undefined {
    if (this.#timed !== undefined) return `${quoteText(this.#timed)} has a time of day, which a date loses`;
    if (this.#compact !== undefined) return `${quoteText(this.#compact)} may be a number of another kind`;
    if (this.#short !== undefined) return `${quoteText(this.#short)} may be a number of another kind`;
    return undefined;
  }

  #amountDoubt(): string | undefined {
    if (this.#zeros !== undefined)
      return `${quoteText(this.#zeros)} has a leading zero, which an amount loses`;
    if (this.#priced > 0 || this.#grouped === undefined) return undefined;
    return `${quoteText(this.#grouped)} may be a number of another kind: none has decimals or a currency`;
  }
}
