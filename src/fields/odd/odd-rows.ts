import type { PlainSurvey } from "../../kernel/evidence.ts";
import { ShapeTable } from "../../kernel/shapes.ts";
import { RecPushError } from "../../model/failure.ts";
import { cellOf, type CellSpans, type Row } from "../../model/rows.ts";
import { quoteText } from "../../model/text.ts";
import type { NullWords } from "../null-words.ts";
import { cellText, showCell, trimSpaces } from "../spreadsheet-text.ts";
import {
  CellClasses,
  type CellFacts,
  classOf,
  CODE,
  EMPTY,
  namingOf,
  NAMINGS,
  NO_CELL,
  TEXT,
  UNREAD,
  widthOf,
} from "./cell-class.ts";
import {
  type CountedForm,
  countRows,
  isNested,
  isRule,
  type OddColumns,
  type OddKind,
  ProperRows,
  type RowForm,
} from "./judge-rows.ts";
import { isKept, type OddAnswers, type Suspicion } from "./suspects.ts";

/** The columns of an input, with what is needed to find odd rows. */
export interface WatchedColumns extends OddColumns {
  /** By column: the words that mean "no value", if there are any. */
  readonly nullsAt: readonly (NullWords | undefined)[];
}

/** The names of the forms of odd rows, and why they are odd. */
export type FoundOdd = ReadonlyMap<string, OddKind>;

interface NotedForm {
  readonly form: RowForm;
  /** Names the form in what a survey found. */
  readonly name: string;
  count: number;
}

/** So many forms are kept; real files have at most a few dozen. */
const MOST_FORMS = 4096;
/** So many odd ones are no slip of a program: they stop the run. */
const MOST_ODD = 1024;
/** So many others, the most frequent, are kept for comparison where there are too many forms. */
const MOST_COMPARED = 512;
/** So few rows are compared with the others, not with themselves. */
const FEW_ROWS = 20;
/** The fewest columns of a row that numbers them. */
const LEAST_NUMBERED = 4;
const MOST_WIDTH = 15;
const FIRST_CELLS = 64;
const MOST_SHOWN = 3;
/** What a row that numbers the columns has beside its other facts. */
const NUMBERING = 9 * (MOST_WIDTH + 1);
const TEXT_BYTE = TEXT.charCodeAt(0);
const CODE_BYTE = CODE.charCodeAt(0);

/**
 * Finds the rows of one input that are unlike all others, in one pass: it counts the forms of the rows, and judges these at
 * the end. A later pass over the same rows, which is told what was found, names them.
 */
export class OddRows {
  #columns: WatchedColumns;
  readonly #file: string;
  readonly #answers: OddAnswers;
  readonly #known: FoundOdd | undefined;
  readonly #classes = new CellClasses();
  /** By name. */
  readonly #forms = new Map<string, NotedForm>();
  /** The places of the forms in {@link #met}, to be found without a text for each row; long forms are not learnt. */
  #places = new ShapeTable();
  #met: NotedForm[] = [];
  /** Of the last row: the classes of its cells up to the last filled one, and its other facts. */
  #cells: Buffer = Buffer.alloc(FIRST_CELLS);
  #length = 0;
  #facts = 0;
  #isFirst = true;
  /** True if the last row holds nothing. */
  isBlank = false;

  /** `known`: what an earlier survey of the same rows found. */
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

  /** The facts of cells of one shape in a column. */
  readonly factsOf = (spans: CellSpans, cell: number, column: number): CellFacts =>
    this.#classes.ofShape(spans, cell, column, this.#columns.nullsAt[column]);

  /** Notes the next row in file order; `plain` knows the facts of some of its cells. */
  note(row: Row, plain?: PlainSurvey): void {
    if (this.#known !== undefined || !this.#look(row, plain)) return;
    this.#noted().count++;
    if (this.#forms.size >= MOST_FORMS) this.#forget(row.line);
  }

  /** Why the next row in file order is odd, as an earlier survey found it; `names`: those of the columns. */
  suspect(row: Row, names: () => readonly string[]): Suspicion | undefined {
    if (!this.areKnown) {
      this.note(row);
      return undefined;
    }
    const kind = this.#look(row) ? this.#known!.get(this.#name()) : undefined;
    return kind && { kind, text: this.#textOf(row, this.#form(), kind, names) };
  }

  /** The odd rows, once all rows were noted. Where there are some, the others are judged once more without them. */
  finish(): FoundOdd {
    const forms = [...this.#forms.values()].filter(({ form }) => !isNested(form));
    // Where all records are single objects, or all rows are stars, these are no exception.
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
  #judge(proper: readonly NotedForm[]): Map<string, OddKind> {
    const rows = countRows(proper);
    const whole = rows > FEW_ROWS ? new ProperRows(proper, this.#columns) : undefined;
    const judge = (form: RowForm): OddKind | undefined => {
      if (rows < 2 && !isNested(form) && !isCertain(form)) return undefined;
      return (whole ?? new ProperRows(others(proper, form), this.#columns)).judge(form);
    };
    const odd = new Map<string, OddKind>();
    for (const [name, { form }] of this.#forms) {
      const kind = judge(form);
      if (kind !== undefined && !isKept(kind, this.#answers)) odd.set(name, kind);
    }
    return odd;
  }

  /** Keeps only the forms that are odd so far, and the most frequent of the others. */
  #forget(line: number): void {
    const forms = [...this.#forms.values()];
    const odd = this.#judge(forms.filter(({ form }) => !isNested(form)));
    if (odd.size > MOST_ODD) throw tooMany(this.#file, line);
    const proper = forms.filter(({ name }) => !odd.has(name));
    proper.sort((left, right) => right.count - left.count);
    for (const { name } of proper.slice(MOST_COMPARED)) this.#forms.delete(name);
    this.#places = new ShapeTable();
    this.#met = [];
  }

  /** Looks at the next row; false for one that holds nothing but a key. */
  #look(row: Row, plain?: PlainSurvey): boolean {
    const { key, nullsAt, width: columnCount } = this.#columns;
    const { spans, firstCell = 0, columns } = row;
    let filled = 0;
    let text = -1;
    let ofText = NO_CELL;
    let ofKey = NO_CELL;
    let ofFirst = NO_CELL;
    this.#length = 0;
    const count =
      spans === undefined ? (columns?.length ?? Math.min(columnCount, row.cells.length)) : (row.width ?? 0);
    for (let at = 0; at < count; at++) {
      const column = columns === undefined ? at : columns[at]!;
      const nulls = nullsAt[column];
      let facts = plain === undefined ? 0 : plain.facts(column);
      if (facts === 0)
        facts =
          spans === undefined
            ? this.#classes.ofCell(row.cells[at], nulls)
            : this.#classes.ofSpan(spans, firstCell + column, column, nulls);
      if (facts === NO_CELL) continue;
      const byte = classOf(facts);
      this.#put(column, byte);
      if (filled === 0) ofFirst = facts;
      filled++;
      if (column === key) ofKey = facts;
      if (text === -1 && (byte === TEXT_BYTE || byte === CODE_BYTE)) {
        text = column;
        ofText = facts;
      }
    }
    this.isBlank = filled === 0;
    if (filled === 0 || (filled === 1 && ofKey !== NO_CELL)) return false;
    const textNaming = text === -1 ? 0 : this.#namingOf(row, text, ofText);
    const keyNaming = ofKey === NO_CELL ? 0 : key === text ? textNaming : this.#namingOf(row, key!, ofKey);
    const width = widthOf(key === undefined ? ofFirst : ofKey);
    const isNumbers = this.#isFirst && filled >= LEAST_NUMBERED && isNumbering(row, this.#length);
    this.#isFirst = false;
    this.#facts = keyNaming + 3 * textNaming + 9 * width + (isNumbers ? NUMBERING : 0);
    return true;
  }

  /** The number of what a cell says about its row. */
  #namingOf(row: Row, column: number, facts: CellFacts): number {
    const known = namingOf(facts);
    if (known !== UNREAD) return known;
    const { spans, firstCell = 0 } = row;
    const text = (): string => textAt(row, column);
    return NAMINGS.indexOf(this.#classes.naming(spans, firstCell + column, text));
  }

  #put(column: number, byte: number): void {
    if (column >= this.#cells.length) this.#cells = Buffer.concat([this.#cells], 2 * (column + 1));
    if (column > this.#length) this.#cells.fill(EMPTY, this.#length, column);
    this.#cells[column] = byte;
    this.#length = Math.max(this.#length, column + 1);
  }

  /** The form of the last row, as it is noted. */
  #noted(): NotedForm {
    const place = this.#places.find(this.#facts, false, this.#cells, 0, this.#length);
    if (place !== 0) return this.#met[this.#places.learnt(place)]!;
    const name = this.#name();
    const noted = this.#forms.get(name) ?? { form: this.#form(), name, count: 0 };
    this.#forms.set(name, noted);
    if (this.#places.learn(this.#facts, false, noted.form.cells, this.#met.length)) this.#met.push(noted);
    return noted;
  }

  #name(): string {
    return `${this.#cells.toString("latin1", 0, this.#length)}${this.#facts}`;
  }

  #form(): RowForm {
    const facts = this.#facts;
    return {
      cells: this.#cells.toString("latin1", 0, this.#length),
      key: NAMINGS[facts % 3]!,
      text: NAMINGS[Math.floor(facts / 3) % 3]!,
      width: Math.floor(facts / 9) % (MOST_WIDTH + 1),
      isNumbering: facts >= NUMBERING,
    };
  }

  /** The text that shows why a row is odd: of a row that lacks something, its first cells in quotes. */
  #textOf(row: Row, { cells, key, text }: RowForm, kind: OddKind, names: () => readonly string[]): string {
    const first = cells.search(/[^ ]/);
    if (kind === "nested") return names()[first] ?? "";
    if (kind === "phrase") {
      const isOfKey = key === "phrase" || (key === "name" && text !== "phrase");
      return textAt(row, isOfKey ? this.#columns.key! : cells.search(/[tc]/));
    }
    if (kind !== "lacks" && kind !== "numbers") return textAt(row, first);
    const filled = Array.from(cells)
      .flatMap((cell, column) => (cell === EMPTY ? [] : [column]))
      .slice(0, MOST_SHOWN);
    return filled.map((column) => quoteText(showCell(cellOf(row, column)).trim(), 40)).join(", ");
  }
}

/** True for a row that is none, whatever the others hold. */
function isCertain(form: RowForm): boolean {
  return isRule(form) || form.key === "phrase";
}

/** The other rows of a few. */
function others(rows: readonly NotedForm[], without: RowForm): readonly CountedForm[] {
  const counted = rows.map(({ form, count }) => ({ form, count: form === without ? count - 1 : count }));
  return counted.filter(({ count }) => count > 0);
}

function isNumbering(row: Row, width: number): boolean {
  for (let column = 0; column < width; column++) {
    const text = textAt(row, column).replace(/^\((.*)\)$/, "$1");
    if (text !== "" && text !== String(column + 1)) return false;
  }
  return true;
}

function textAt(row: Row, column: number): string {
  return trimSpaces(cellText(cellOf(row, column)) ?? "");
}

function tooMany(file: string, line: number): RecPushError {
  const message = `${file}:${line}: rows of more than ${MOST_ODD.toLocaleString("en")} forms are unlike the others: the file may hold two tables`;
  return new RecPushError("input", "second-table", message, {
    place: { file, line },
    hint: "split the file, or --sparse keep takes such rows as rows",
  });
}
