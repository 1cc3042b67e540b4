import { isDigit, ShapeTable, textsAlike } from "../../kernel/shapes.ts";
import { type Cell, type CellSpans, ESCAPED, JsonNumber, NestedValue, NO_TEXT } from "../../model/rows.ts";
import type { ColumnLook } from "../columns/column-faults.ts";
import { readDigits } from "../digits.ts";
import { isLetter } from "../plain-texts.ts";
import { isBlank, showCell, trimSpaces } from "../spreadsheet-text.ts";
import { KeyTally } from "./key-tally.ts";
import { SeenValues, type ValueFacts, type ValueForm } from "./undeclared-type.ts";

const SAMPLES = 3;
/** Of a column: there may be many. */
const MOST_LEARNT = 1024;

/** Whether digits are those of a day depends on which they are. */
const DATED: ReadonlySet<ValueForm> = new Set(["date", "moment", "clocked", "null"]);
/** Added to the kind of cells whose digits are alike. */
const ALIKE = 2;
const WORD: ValueFacts = { form: "text", isDigits: false, isFigure: false, isCompact: false };

/** Watches the values of an undeclared column: what was said of one counts for others of its shape. */
export class LookWatch {
  readonly #name: string;
  readonly #values: SeenValues;
  readonly #samples: string[] = [];
  /** The shapes of cells that were added: their places among what was learnt. */
  readonly #shapes = new ShapeTable();
  readonly #learnt: ValueFacts[] = [];
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

  /** Adds a cell that is not empty; returns what it counts as. */
  add(cell: Cell): ValueFacts | undefined {
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
      values.count(WORD);
      return true;
    }
    const kind = kindOf(marks[cell]!);
    const shape =
      (this.#isShown() ? this.#shapes.find(kind + ALIKE, true, bytes, start, end) : 0) ||
      this.#shapes.find(kind, false, bytes, start, end);
    if (shape === 0) return false;
    values.count(this.#learnt[this.#shapes.learnt(shape)]!);
    return true;
  }

  /** Adds a cell that is not empty, and learns what cells like it count as. */
  addSpan(spans: CellSpans, cell: number): void {
    const facts = this.add(spans.value(cell));
    if (this.#keys !== undefined || facts === undefined || this.#learnt.length >= MOST_LEARNT) return;
    const text = spans.text(cell);
    const kind = kindOf(spans.marks[cell]!);
    const areDigitsAlike = this.#areAlike(text, kind, facts);
    if (areDigitsAlike && !this.#isShown()) return;
    const place = this.#learnt.push(facts) - 1;
    this.#shapes.learn(areDigitsAlike ? kind + ALIKE : kind, areDigitsAlike, text, place);
  }

  /** True if texts that differ from this one in their digits only count as the same. */
  #areAlike(text: string, kind: number, { form, isDigits }: ValueFacts): boolean {
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
