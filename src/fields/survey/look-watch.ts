import { expandJsonNumber } from "../../model/json-number.ts";
import { JsonNumber, NestedValue, type Cell } from "../../model/row.ts";
import { showCell } from "../cell-text.ts";
import type { ColumnLook } from "../columns/column-look.ts";
import { kindOfName, type NameKind } from "../columns/name-kinds.ts";
import { readDigits } from "../digits.ts";
import { DATE_FORMS, dateFormOf, SeenDates } from "../date/seen-dates.ts";
import { holdsDigit, isDigit } from "../plain-texts.ts";
import { isBlank, trimSpaces } from "../spaces.ts";
import { KeyTally } from "./key-tally.ts";
import { PlainLooks } from "./plain-look.ts";
import { isAmong } from "./sampled-bytes.ts";
import { judgeType, type ValueForm } from "./undeclared-type.ts";
import { ValueForms } from "./value-forms.ts";

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
