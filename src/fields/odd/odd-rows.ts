import { RecPushError } from "../../model/failure.ts";
import { cellOf, type Row } from "../../model/rows.ts";
import { showCell } from "../spreadsheet-text.ts";
import {
  CODE,
  type CountedForm,
  DATE,
  EMPTY,
  type FormColumns,
  NESTED,
  NUMBER,
  type RowForm,
  RowForms,
  RULE,
  TEXT,
  textAt,
} from "./row-forms.ts";
import { type OddAnswers, type OddKind, optionFor, type Suspicion } from "./suspects.ts";

/** The columns of an input, as the search for odd rows needs them. */
export interface WatchedColumns extends FormColumns {
  /** The columns that are declared as numbers. */
  readonly digits: readonly number[];
}

/** The names of the forms of odd rows, and why they are odd. */
export type FoundOdd = ReadonlyMap<string, OddKind>;

/** The most forms that are kept; real files have at most a few dozen. */
const MOST_FORMS = 4096;
/** With more odd forms, a program has not slipped once: they stop the run. */
const MOST_ODD = 1024;
/** With too many forms, only so many of the others, the most frequent, are kept for comparison. */
const MOST_COMPARED = 512;
/** Up to so many rows are each compared with the others, without themselves. */
const ROWS_APART = 20;
const MOST_SHOWN = 3;

/**
 * Finds the rows of one input that are unlike all others, in one pass: it counts the forms of the rows, and judges these at
 * the end. A later pass over the same rows gets the result and names the rows.
 */
export class OddRows {
  #columns: WatchedColumns;
  readonly #file: string;
  readonly #answers: OddAnswers;
  readonly #known: FoundOdd | undefined;
  readonly #forms = new RowForms();

  /** `known`: the result of an earlier survey of the same rows. */
  constructor(columns: WatchedColumns, file: string, answers: OddAnswers, known: FoundOdd | undefined) {
    this.#columns = columns;
    this.#file = file;
    this.#answers = answers;
    this.#known = known;
  }

  /** True if some rows are known to be odd: then each has to be compared. */
  get areKnown(): boolean {
    return this.#known !== undefined && this.#known.size > 0;
  }

  /** Takes the columns again once there are more of them. */
  grow(columns: WatchedColumns): void {
    this.#columns = columns;
  }

  /** Notes the next row in file order. */
  note(row: Row): void {
    if (this.#known !== undefined || !this.#forms.look(row, this.#columns)) return;
    if (this.#forms.count() >= MOST_FORMS) this.#forget(row.line);
  }

  /** Why the next row in file order is odd, as an earlier survey found it; `names`: those of the columns. */
  suspect(row: Row, names: () => readonly string[]): Suspicion | undefined {
    if (!this.areKnown) {
      this.note(row);
      return undefined;
    }
    const kind = this.#forms.look(row, this.#columns) ? this.#known!.get(this.#forms.name) : undefined;
    return kind && { kind, text: this.#textOf(row, this.#forms.form, kind, names) };
  }

  /** The odd rows, once all rows were noted. If there are any, the others are judged once more without them. */
  finish(): FoundOdd {
    const forms = this.#forms.counted.filter(({ form }) => !isNested(form));
    // If all records are single objects, or all rows are stars, none is an exception.
    if (forms.every(({ form }) => isRule(form))) return new Map();
    const odd = new Map<string, OddKind>();
    for (let before = -1; before < odd.size;) {
      before = odd.size;
      const proper = forms.filter(({ form, name }) => !isCertain(form) && !odd.has(name));
      for (const [name, kind] of this.#judge(proper)) if (!odd.has(name)) odd.set(name, kind);
    }
    return odd;
  }

  /** The odd forms, as compared with some of them. */
  #judge(proper: readonly CountedForm[]): Map<string, OddKind> {
    const rows = countRows(proper);
    const whole = rows > ROWS_APART ? new ProperRows(proper, this.#columns) : undefined;
    const odd = new Map<string, OddKind>();
    for (const { name, form } of this.#forms.counted) {
      if (rows < 2 && !isNested(form) && !isCertain(form)) continue;
      const kind = (whole ?? new ProperRows(others(proper, name), this.#columns)).judge(form);
      if (kind !== undefined && !this.#isAccepted(kind)) odd.set(name, kind);
    }
    return odd;
  }

  #isAccepted(kind: OddKind): boolean {
    return this.#answers.sparse === "keep" && optionFor(kind) === "sparse";
  }

  /** Keeps only the forms that are odd so far, and the most frequent of the others. */
  #forget(line: number): void {
    const forms = this.#forms.counted;
    const odd = this.#judge(forms.filter(({ form }) => !isNested(form)));
    if (odd.size > MOST_ODD) throw tooMany(this.#file, line);
    const proper = forms.filter(({ name }) => !odd.has(name));
    this.#forms.forget(proper.toSorted((left, right) => right.count - left.count).slice(MOST_COMPARED));
  }

  /** The text that shows why a row is odd; for a row that lacks cells, its first cells. */
  #textOf(row: Row, { cells, key, text }: RowForm, kind: OddKind, names: () => readonly string[]): string {
    const filled = Array.from(cells).flatMap((cell, column) => (cell === EMPTY ? [] : [column]));
    if (kind === "nested") return names()[filled[0]!] ?? "";
    if (kind === "phrase") {
      const isOfKey = key === "phrase" || (key === "name" && text !== "phrase");
      return textAt(row, isOfKey ? this.#columns.key! : cells.search(/[tc]/));
    }
    const shown = optionFor(kind) === "sparse" ? filled.slice(0, MOST_SHOWN) : filled.slice(0, 1);
    return shown.map((column) => showCell(cellOf(row, column)).trim()).join(" | ");
  }
}

/** A column is core if this share of the proper rows fills it, and has a kind if this share of its cells has. */
const CORE_SHARE = 0.95;
const KIND_SHARE = 0.9;
/** A row of this table fits at least this share of the core columns; any other row must fit more than half. */
const LEAST_OF_OWN = 1 / 3;
const LEAST_OF_OTHERS = 1 / 2;
/** A total beside a date, or with a name in it, may fit up to this share. */
const MOST_OF_TOTAL = 0.7;
/** Up to so many rows all are proper, and numbers that begin them are no codes. */
const FEW_ROWS = 3;
const MANY_CELLS = 3;

/**
 * The contents of proper rows, and how other rows differ from them. Proper are the fuller half of the rows, of those with a
 * key if there are any.
 */
class ProperRows {
  readonly #columns: WatchedColumns;
  readonly #rows: number;
  /** The columns that any of them fills. */
  readonly #used: number[] = [];
  /** The columns that nearly all of them fill. */
  readonly #core: number[] = [];
  /** By column: the class of nearly all of its cells, if there is one. */
  readonly #kinds: (string | undefined)[] = [];
  /** The column of the key, or the first core one; and whether its cells are codes. */
  readonly #lead: number;
  readonly #areCodes: boolean;

  constructor(rows: readonly CountedForm[], columns: WatchedColumns) {
    this.#columns = columns;
    const { key, width } = columns;
    const keyed = key === undefined ? [] : rows.filter(({ form }) => isFilled(form.cells[key]));
    const half = fullerHalf(countRows(keyed) > 1 ? keyed : rows);
    this.#rows = countRows(half);
    for (let column = 0; column < width; column++) {
      const counts = new Map<string | undefined, number>();
      for (const { form, count } of half)
        counts.set(form.cells[column], (counts.get(form.cells[column]) ?? 0) + count);
      const countOf = (cell: string): number => counts.get(cell) ?? 0;
      const filled = [TEXT, CODE, NUMBER, DATE, NESTED].reduce((sum, cell) => sum + countOf(cell), 0);
      if (filled === 0) continue;
      this.#used.push(column);
      if (filled >= CORE_SHARE * this.#rows) this.#core.push(column);
      this.#kinds[column] = [DATE, NUMBER, CODE].find((cell) => countOf(cell) >= KIND_SHARE * filled);
    }
    this.#lead = key ?? this.#core[0] ?? 0;
    const kind = this.#kinds[this.#lead];
    // Numbers are codes only where the rows begin with them: further on they may be amounts.
    const begin = half.filter(({ form }) => form.cells.search(/[^ ]/) === this.#lead);
    const areFirst = key !== undefined || countRows(begin) >= KIND_SHARE * this.#rows;
    this.#areCodes = kind === CODE || (kind === NUMBER && areFirst && this.#rows > FEW_ROWS);
  }

  /** Why a row is odd; `undefined` if it is not. */
  judge(row: RowForm): OddKind | undefined {
    const { cells } = row;
    if (isNested(row)) return "nested";
    if (isRule(row)) return "rule";
    if (row.key === "phrase") return "phrase";
    const isOfNumbers = (cell: string, column: number): boolean =>
      cell === EMPTY || this.#kinds[column] === NUMBER;
    if (row.isNumbering && !Array.from(cells).every(isOfNumbers)) return "numbering";
    const core = this.#core.length;
    const got = this.#core.filter((column) => this.#fits(cells, column)).length;
    const isLed = this.#fits(cells, this.#lead);
    const naming = this.#columns.key !== undefined && isLed ? row.key : row.text;
    const isWide = this.#columns.width > 1;
    // No total has an order number.
    const hasDigits = this.#columns.digits.some((column) => this.#fits(cells, column));
    const isFact = hasDigits || [DATE, NUMBER, CODE].filter((kind) => this.#has(cells, kind)).length > 1;
    if (isWide && this.#lacksMost(cells, got, isLed, isFact)) return naming === "none" ? "lacks" : "phrase";
    const isNumbers = isWide && !isLed && !hasDigits && /^[n ]*$/.test(cells);
    // Order numbers are no amounts.
    const isAmount = (column: number): boolean =>
      this.#kinds[column] === NUMBER && !this.#columns.digits.includes(column);
    if (isNumbers && !this.#core.every(isAmount)) return "numbers";
    const hasDate = cells.includes(DATE);
    // A total never has both a date and a declared number: `soldé` is a state there.
    if (naming === "none" || (hasDate && hasDigits)) return undefined;
    const isMostly = got > MOST_OF_TOTAL * core;
    // A total beside a text has a number too.
    const hasNumber = cells.includes(NUMBER);
    if (naming === "phrase" && !(this.#areCodes && isLed)) {
      if (!hasDate && cells.replaceAll(/[^tc]/g, "").length < 2) return "phrase";
      if (hasNumber && got < core && (!hasDate || this.#rows > FEW_ROWS || !isMostly)) return "phrase";
    }
    const isOfKind = isLed && [CODE, NUMBER].some((kind) => kind === this.#kinds[this.#lead]);
    return hasNumber && !hasDate && !hasDigits && !isOfKind && !isMostly ? "phrase" : undefined;
  }

  /** `isFact`: it has a declared number, or two of a date, a number and a code. */
  #lacksMost(cells: string, got: number, isLed: boolean, isFact: boolean): boolean {
    const core = this.#core.length;
    if (core < 2) return core === 1 && got === 0 && !isFact;
    const { key } = this.#columns;
    const isCreate = key !== undefined && !isFilled(cells[key]);
    if (isCreate && got === core - 1) return false;
    // One to three rows predict little about the next one.
    if (this.#rows <= FEW_ROWS && isLed) return this.#rows > 1 && got < 2 && core >= MANY_CELLS;
    const dates = this.#core.filter((column) => this.#kinds[column] === DATE);
    const isDated = dates.length === 0 || dates.some((column) => this.#fits(cells, column));
    const isOwn = isFact || (isLed && (this.#areCodes || isDated));
    if (isOwn) return got < LEAST_OF_OWN * core;
    // Where few columns are core, a row may lack these and hold most others.
    const filled = this.#used.filter((column) => isFilled(cells[column])).length;
    const isFull = filled >= MANY_CELLS && filled > LEAST_OF_OTHERS * this.#used.length;
    return got <= LEAST_OF_OTHERS * core && !isFull;
  }

  /** Whether a row has a cell of some kind in a column of that kind. */
  #has(cells: string, kind: string): boolean {
    return this.#kinds.some((one, column) => one === kind && cells[column] === kind);
  }

  /** Whether a cell is what its column holds; a word may stand among codes, but not where a row begins. */
  #fits(cells: string, column: number): boolean {
    const cell = cells[column];
    const kind = this.#kinds[column];
    const isHeld = kind === DATE || kind === NUMBER || (kind === CODE && column === this.#lead);
    return isHeld ? cell === kind : isFilled(cell) && cell !== RULE;
  }
}

/** True for a line of dashes. */
function isRule({ cells }: RowForm): boolean {
  return /^[r ]*$/.test(cells);
}

/** True for an object that holds nothing but one object. */
function isNested({ cells }: RowForm): boolean {
  return cells.trimStart() === NESTED;
}

/** True for a row that is certainly odd, whatever the others hold. */
function isCertain(form: RowForm): boolean {
  return isRule(form) || form.key === "phrase";
}

function isFilled(cell: string | undefined): boolean {
  return cell !== undefined && cell !== EMPTY;
}

function countRows(rows: readonly CountedForm[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** The rows of a small set without this one. */
function others(rows: readonly CountedForm[], without: string): readonly CountedForm[] {
  const counted = rows.map((one) => (one.name === without ? { ...one, count: one.count - 1 } : one));
  return counted.filter(({ count }) => count > 0);
}

/** The rows with at least the median of filled cells; all, if they are few. */
function fullerHalf(rows: readonly CountedForm[]): readonly CountedForm[] {
  const all = countRows(rows);
  if (all <= FEW_ROWS) return rows;
  const filledOf = ({ form }: CountedForm): number => form.cells.replaceAll(EMPTY, "").length;
  let before = 0;
  const sorted = rows.toSorted((left, right) => filledOf(left) - filledOf(right));
  const median = filledOf(sorted.find(({ count }) => (before += count) > Math.floor(all / 2))!);
  return rows.filter((one) => filledOf(one) >= median);
}

function tooMany(file: string, line: number): RecPushError {
  const message = `${file}:${line}: rows of more than ${MOST_ODD.toLocaleString("en")} forms are unlike the others: the file may hold two tables`;
  return new RecPushError("second-table", message, {
    place: { file, line },
    hint: "split the file, or --sparse keep sends such rows",
  });
}
