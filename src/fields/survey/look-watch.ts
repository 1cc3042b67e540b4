import { isDigit, ShapeTable, textsAlike } from "../../kernel/shapes.ts";
import { type Cell, type CellSpans, ESCAPED, JsonNumber, NestedValue, NO_TEXT } from "../../model/rows.ts";
import type { ColumnLook } from "../columns/column-faults.ts";
import { readDigits } from "../digits.ts";
import { isLetter } from "../plain-texts.ts";
import { isBlank, showCell, trimSpaces } from "../spreadsheet-text.ts";
import { KeyTally } from "./key-tally.ts";
import { SeenValues, VALUE_FORMS, type ValueForm } from "./undeclared-type.ts";

const SAMPLES = 3;
/** Of a column: there may be many. */
const MOST_LEARNT = 1024;

/** Whether digits are those of a day depends on which they are. */
const DATED: ReadonlySet<ValueForm> = new Set(["date", "moment", "clocked", "null"]);
/** What was learnt of a cell: its form, and what else it counts as. */
const FORM_BITS = 15;
/** Added to the kind of cells whose digits are alike. */
const ALIKE = 2;
const [IS_DIGITS, IS_FIGURE, IS_COMPACT] = [16, 32, 64];

/** Watches the values of an undeclared column: what was said of one counts for others of its shape. */
export class LookWatch {
  readonly #name: string;
  readonly #values: SeenValues;
  readonly #samples: string[] = [];
  /** What cells that were added counted as. */
  readonly #shapes = new ShapeTable();
  #learnt = 0;
  #nested: NestedValue["what"] | undefined;
  /** Objects and arrays that are all that their rows hold. */
  #alone = 0;
  /** Of a column that may be the key: how many of its values are there again. */
  readonly #keys: KeyTally | undefined;

  constructor(name = "", mayBeKey = false) {
    this.#name = name;
    this.#values = new SeenValues(name);
    this.#keys = mayBeKey ? new KeyTally() : undefined;
  }

  /** Adds a cell that is not empty; returns the form of its value. */
  add(cell: Cell): ValueForm | undefined {
    if (typeof cell === "string" && isBlank(cell)) return undefined;
    this.#keys?.add(typeof cell === "string" ? trimSpaces(cell) : showCell(cell));
    if (this.#samples.length < SAMPLES) {
      const shown = showCell(cell);
      if (!this.#samples.includes(shown)) this.#samples.push(shown);
    }
    if (cell instanceof NestedValue) this.#nested = this.#nested === "array" ? "array" : cell.what;
    return this.#values.add(cell);
  }

  /** Notes that the cell added next, an object or array, is all that its row holds. */
  addAlone(): void {
    this.#alone++;
  }

  /** Adds a cell as one of the same shape was added; false if there was none, or it has to be looked at itself. */
  addAlike(spans: CellSpans, cell: number): boolean {
    const values = this.#values;
    const { bytes, starts, ends, marks } = spans;
    if (this.#keys !== undefined || (marks[cell]! & ESCAPED) !== 0) return false;
    const [start, end] = [starts[cell]!, ends[cell]!];
    const isWord = values.counts.text > 0 && values.hasMoreTexts && this.#isShown();
    if (isWord && (marks[cell]! & NO_TEXT) === 0 && isPlainWord(bytes, start, end)) {
      values.filled++;
      values.counts.text++;
      return true;
    }
    const kind = kindOf(marks[cell]!);
    const shape =
      (this.#isShown() ? this.#shapes.find(kind + ALIKE, true, bytes, start, end) : 0) ||
      this.#shapes.find(kind, false, bytes, start, end);
    if (shape === 0) return false;
    const learnt = this.#shapes.learnt(shape);
    values.filled++;
    values.counts[VALUE_FORMS[learnt & FORM_BITS]!]++;
    if ((learnt & IS_DIGITS) !== 0) values.digits++;
    if ((learnt & IS_FIGURE) !== 0) values.figures++;
    if ((learnt & IS_COMPACT) !== 0) values.compact++;
    return true;
  }

  /** Adds a cell that is not empty, and learns what cells like it count as. */
  addSpan(spans: CellSpans, cell: number): void {
    const { digits, figures, compact } = this.#values;
    const form = this.add(spans.value(cell));
    if (this.#keys !== undefined || form === undefined || this.#learnt >= MOST_LEARNT) return;
    const isDigits = this.#values.digits > digits;
    const text = spans.text(cell);
    const kind = kindOf(spans.marks[cell]!);
    const areDigitsAlike = this.#areAlike(text, kind, form, isDigits);
    if (areDigitsAlike && !this.#isShown()) return;
    const learnt =
      VALUE_FORMS.indexOf(form) |
      (isDigits ? IS_DIGITS : 0) |
      (this.#values.figures > figures ? IS_FIGURE : 0) |
      (this.#values.compact > compact ? IS_COMPACT : 0);
    this.#learnt++;
    this.#shapes.learn(areDigitsAlike ? kind + ALIKE : kind, areDigitsAlike, text, learnt);
  }

  /** True if texts that differ from this one in their digits only count as the same. */
  #areAlike(text: string, kind: number, form: ValueForm, isDigits: boolean): boolean {
    // Eight digits may be a day.
    if (this.#values.name === "date" || DATED.has(form) || /^\D*\d{8}\D*$/.test(text)) return false;
    if (!/\d/.test(text)) return false;
    // With other digits it may be a day that there is.
    if (form === "text" && !this.#values.isText(trimSpaces(text))) return false;
    if (kind !== 0 && !/^-?\d+(?:\.\d+)?$/.test(text)) return false;
    return textsAlike(text).every((other) => {
      const value = kind === 0 ? other : new JsonNumber(other);
      const isAlike = new SeenValues(this.#name).formOf(trimSpaces(other)) === form;
      return isAlike && (typeof readDigits(value) === "string") === isDigits;
    });
  }

  /** True if no cell becomes a sample any more. */
  #isShown(): boolean {
    return this.#samples.length >= SAMPLES;
  }

  /** What the values look like; of the `rows` looked at, `repeatedRows` equal an earlier one as a whole. */
  look(rows: number, repeatedRows = 0): ColumnLook {
    const values = this.#values;
    const isNested = this.#nested !== undefined;
    return {
      filled: values.filled,
      repeated: Math.max(0, (this.#keys?.repeated ?? 0) - repeatedRows),
      samples: this.#samples,
      nullWords: [...values.nullWords],
      rows,
      alone: this.#alone,
      fits: isNested ? new Set() : values.fits(),
      nested: this.#nested,
      ...(isNested ? { kind: "text", doubt: undefined } : values.judge()),
    };
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
