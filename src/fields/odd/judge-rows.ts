import { type CellClass, CODE, DATE, EMPTY, NESTED, NUMBER, RULE, TEXT } from "./cell-class.ts";
import type { Naming } from "./total-words.ts";

/** What is known of the columns of an input. */
export interface OddColumns {
  readonly width: number;
  /** The column of the key. */
  readonly key: number | undefined;
  /** The columns that are declared as numbers. */
  readonly digits: readonly number[];
}

/** A row as the rule sees it; rows that are alike here are judged alike. */
export interface RowForm {
  /** The classes of its cells, up to the last filled one. */
  readonly cells: string;
  /** Whether its key, and its first text, is a total's phrase or holds the word of one. */
  readonly key: Naming;
  readonly text: Naming;
  /** How many characters the number has with which it begins; 0 if it begins with none. */
  readonly width: number;
  /** True if it is the first row, and its cells are the numbers of the columns. */
  readonly isNumbering: boolean;
}

/**
 * Why a row is unlike all others: it lacks most of what they hold, it is nothing but numbers or one object, it calls itself
 * a total, it is a line of dashes, or it numbers the columns.
 */
export type OddKind = "lacks" | "numbers" | "nested" | "phrase" | "rule" | "numbering";

/** A column is core if so many of the proper rows fill it, and of a kind if so many of its cells are. */
const CORE_SHARE = 0.95;
const KIND_SHARE = 0.9;
/** A row of this table fits at least so much of the core columns; any other row fits more than half. */
const LEAST_OF_OWN = 1 / 3;
const LEAST_OF_OTHERS = 1 / 2;
/** A total beside a date, or with a name in it, may fit so much. */
const MOST_OF_TOTAL = 0.7;
/** So few rows say little: all of them are proper, and their numbers may have one width by chance. */
const FEW_ROWS = 3;
const MANY_CELLS = 3;
/** Numbers of so few widths are codes. */
const MOST_WIDTHS = 2;

/** The rows of one form. */
export interface CountedForm {
  readonly form: RowForm;
  readonly count: number;
}

/** What proper rows hold, and how other rows differ from them: the fuller half of some, of those with a key where there are some. */
export class ProperRows {
  readonly #columns: OddColumns;
  readonly #rows: number;
  /** The columns that nearly all of them fill. */
  readonly #core: number[] = [];
  /** By column: what nearly all of its cells are, if that is one thing. */
  readonly #kinds: (CellClass | undefined)[] = [];
  /** The column of the key, or the first core one. */
  readonly #lead: number;
  /** The widths of the numbers there, one bit each: one or two widths make them codes. */
  readonly #widths: number;
  readonly #areCodes: boolean;

  constructor(rows: readonly CountedForm[], columns: OddColumns) {
    this.#columns = columns;
    const { key, width } = columns;
    const keyed = key === undefined ? [] : rows.filter(({ form }) => isFilled(form.cells[key]));
    const half = fullerHalf(countRows(keyed) > 1 ? keyed : rows);
    this.#rows = countRows(half);
    /** By column: how many of its cells are of each class; and the widths of the numbers with which rows begin there. */
    const counts = Array.from({ length: width }, () => new Map<string, number>());
    const widthsAt: number[] = [];
    for (const { form, count } of half) {
      for (let column = 0; column < Math.min(width, form.cells.length); column++) {
        const cell = form.cells[column]!;
        counts[column]!.set(cell, (counts[column]!.get(cell) ?? 0) + count);
      }
      const begin = key ?? form.cells.search(/[^ ]/);
      widthsAt[begin] = (widthsAt[begin] ?? 0) | (1 << form.width);
    }
    for (const [column, of] of counts.entries()) {
      const filled = [TEXT, CODE, NUMBER, DATE, NESTED].reduce((sum, cell) => sum + (of.get(cell) ?? 0), 0);
      if (filled === 0) continue;
      if (filled >= CORE_SHARE * this.#rows) this.#core.push(column);
      this.#kinds[column] = ([DATE, NUMBER, CODE] as const).find(
        (kind) => (of.get(kind) ?? 0) >= KIND_SHARE * filled,
      );
    }
    this.#lead = columns.key ?? this.#core[0] ?? 0;
    this.#widths = (widthsAt[this.#lead] ?? 0) & ~1;
    const widths = this.#widths.toString(2).replaceAll("0", "").length;
    const areAlike = widths > 0 && widths <= MOST_WIDTHS && this.#rows > FEW_ROWS;
    const kind = this.#kinds[this.#lead];
    this.#areCodes = kind === CODE || (kind === NUMBER && areAlike);
  }

  /** Why a row is odd; `undefined` if it is not. */
  judge(row: RowForm): OddKind | undefined {
    const { cells } = row;
    if (isNested(row)) return "nested";
    if (isRule(row)) return "rule";
    if (row.key === "phrase") return "phrase";
    const areNumbers = Array.from(cells).every(
      (cell, column) => cell === EMPTY || this.#kinds[column] === NUMBER,
    );
    if (row.isNumbering && !areNumbers) return "numbering";
    const core = this.#core.length;
    const got = this.#core.filter((column) => this.#fits(row, column)).length;
    const isLed = this.#fits(row, this.#lead);
    const hasDate = cells.includes(DATE);
    const naming = this.#columns.key !== undefined && isLed ? row.key : row.text;

    const isWide = this.#columns.width > 1;
    if (isWide && this.#lacksMost(row, got, isLed)) return naming === "none" ? "lacks" : "phrase";
    const isNumbers = /^[n ]*$/.test(cells) && !this.#hasNumber(row);
    if (isWide && !isLed && isNumbers && this.#core.some((column) => this.#kinds[column] !== NUMBER))
      return "numbers";
    if (naming === "none") return undefined;
    const isMostly = got > MOST_OF_TOTAL * core;
    // A total beside a text has a number too.
    const hasNumber = cells.includes(NUMBER);
    // A total never has both a date and a declared number: `soldé` is a state there.
    if (hasDate && this.#hasNumber(row)) return undefined;
    if (naming === "phrase" && !(this.#areCodes && isLed)) {
      if (!hasDate && cells.replaceAll(/[^tc]/g, "").length < 2) return "phrase";
      if (hasNumber && got < core && (!hasDate || this.#rows > FEW_ROWS || !isMostly)) return "phrase";
    }
    const isOfKind = isLed && [CODE, NUMBER].includes(this.#kinds[this.#lead] ?? "");
    const isTotal = hasNumber && !hasDate && !this.#hasNumber(row) && !isOfKind && !isMostly;
    return isTotal ? "phrase" : undefined;
  }

  #lacksMost(row: RowForm, got: number, isLed: boolean): boolean {
    const core = this.#core.length;
    if (core < 2) return core === 1 && got === 0;
    const { key } = this.#columns;
    const isCreate = key !== undefined && !isFilled(row.cells[key]);
    if (isCreate && got === core - 1) return false;
    // One to three rows say little about the next one.
    if (this.#rows <= FEW_ROWS && isLed) return this.#rows > 1 && got < 2 && core >= MANY_CELLS;
    const dates = this.#core.filter((column) => this.#kinds[column] === DATE);
    const isDated = dates.length === 0 || dates.some((column) => this.#fits(row, column));
    const isOwn = this.#hasNumber(row) || (isLed && (this.#areCodes || isDated));
    return isOwn ? got < LEAST_OF_OWN * core : got <= LEAST_OF_OTHERS * core;
  }

  /** True for a row with a declared number. */
  #hasNumber(row: RowForm): boolean {
    return this.#columns.digits.some((column) => this.#core.includes(column) && this.#fits(row, column));
  }

  /** Whether a cell is what its column holds; a word may stand among codes, but not where a row begins. */
  #fits({ cells, width }: RowForm, column: number): boolean {
    const cell = cells[column];
    const kind = this.#kinds[column];
    const isLead = column === this.#lead;
    if (kind === DATE || kind === NUMBER || (kind === CODE && isLead)) {
      const isKnown = this.#columns.key !== undefined || cells.search(/[^ ]/) === column;
      const isCode = kind === NUMBER && isLead && this.#areCodes && isKnown;
      return cell === kind && (!isCode || (this.#widths & (1 << width)) !== 0);
    }
    return isFilled(cell) && cell !== RULE;
  }
}

/** True for a line of dashes. */
export function isRule({ cells }: RowForm): boolean {
  return /^[r ]*$/.test(cells);
}

/** True for an object that holds nothing but one object. */
export function isNested({ cells }: RowForm): boolean {
  return cells.trimStart() === NESTED;
}

function isFilled(cell: string | undefined): boolean {
  return cell !== undefined && cell !== EMPTY;
}

/** How many rows there are of some forms. */
export function countRows(rows: readonly CountedForm[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** The rows with at least the median of filled cells; of a few all. */
function fullerHalf(rows: readonly CountedForm[]): readonly CountedForm[] {
  const all = countRows(rows);
  if (all <= FEW_ROWS) return rows;
  const filledOf = ({ form }: CountedForm): number => form.cells.replaceAll(EMPTY, "").length;
  let before = 0;
  const sorted = rows.toSorted((left, right) => filledOf(left) - filledOf(right));
  const median = filledOf(sorted.find(({ count }) => (before += count) > Math.floor(all / 2))!);
  return rows.filter((one) => filledOf(one) >= median);
}
