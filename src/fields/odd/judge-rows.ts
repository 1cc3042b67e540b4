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
/** So many numbers of filled cells are told apart. */
const MOST_STEPS = 64;
const CLASSES = TEXT + CODE + NUMBER + DATE + RULE + NESTED;

/** The rows that have a key, or have none, and fill about as many cells. */
interface Step {
  readonly filled: number;
  readonly isKeyed: boolean;
  rows: number;
  /** By column and class. */
  readonly cells: number[];
  /** By column: the widths of the numbers with which rows begin there, one bit each. */
  readonly widths: number[];
}

/** Counts the cells of rows, in memory that does not grow with them. */
export class RowsSeen {
  rows: number;
  readonly #key: number | undefined;
  readonly #unit: number;
  readonly #steps: Map<string, Step>;

  /** `before`: rows that were counted earlier. */
  constructor({ key, width }: OddColumns, before?: RowsSeen) {
    this.rows = before === undefined ? 0 : before.rows;
    this.#key = key;
    this.#unit = before === undefined ? Math.max(1, Math.ceil(width / MOST_STEPS)) : before.#unit;
    this.#steps = before === undefined ? new Map<string, Step>() : structuredClone(before.#steps);
  }

  /** Adds so many rows of one form. */
  add({ cells, width }: RowForm, count: number): void {
    if (count === 0) return;
    this.rows += count;
    const filled = Math.floor(cells.replaceAll(EMPTY, "").length / this.#unit);
    const isKeyed = this.#key !== undefined && isFilled(cells[this.#key]);
    const name = `${filled} ${isKeyed}`;
    const step = this.#steps.get(name) ?? { filled, isKeyed, rows: 0, cells: [], widths: [] };
    this.#steps.set(name, step);
    step.rows += count;
    for (let column = 0; column < cells.length; column++) {
      const at = column * CLASSES.length + CLASSES.indexOf(cells[column]!);
      if (isFilled(cells[column])) step.cells[at] = (step.cells[at] ?? 0) + count;
    }
    const begin = this.#key ?? cells.search(/[^ ]/);
    step.widths[begin] = (step.widths[begin] ?? 0) | (1 << width);
  }

  /** What the proper ones hold: the fuller half of them, of those with a key where there are some. */
  proper(columns: OddColumns): ProperRows {
    const all = [...this.#steps.values()].sort((left, right) => left.filled - right.filled);
    const keyed = all.filter(({ isKeyed }) => isKeyed);
    const half = fullerHalf(countRows(keyed) > 1 ? keyed : all);
    return new ProperRows(half, columns);
  }
}

/** What proper rows hold, and how other rows differ from them. */
class ProperRows {
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

  constructor(steps: readonly Step[], columns: OddColumns) {
    this.#columns = columns;
    this.#rows = countRows(steps);
    for (let column = 0; column < columns.width; column++) {
      const count = (kind: string): number =>
        steps.reduce(
          (sum, { cells }) => sum + (cells[column * CLASSES.length + CLASSES.indexOf(kind)] ?? 0),
          0,
        );
      const filled = [TEXT, CODE, NUMBER, DATE, NESTED].reduce((sum, kind) => sum + count(kind), 0);
      if (filled > 0 && filled >= CORE_SHARE * this.#rows) this.#core.push(column);
      if (filled > 0)
        this.#kinds[column] = ([DATE, NUMBER, CODE] as const).find(
          (kind) => count(kind) >= KIND_SHARE * filled,
        );
    }
    this.#lead = columns.key ?? this.#core[0] ?? 0;
    this.#widths = steps.reduce((bits, { widths }) => bits | (widths[this.#lead] ?? 0), 0) & ~1;
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

function countRows(steps: readonly Step[]): number {
  return steps.reduce((sum, { rows }) => sum + rows, 0);
}

/** The rows with at least the median of filled cells; of a few all. */
function fullerHalf(steps: readonly Step[]): readonly Step[] {
  const count = countRows(steps);
  if (count <= FEW_ROWS) return steps;
  let before = 0;
  const median = steps.find(({ rows }) => (before += rows) > Math.floor(count / 2))!.filled;
  return steps.filter(({ filled }) => filled >= median);
}
