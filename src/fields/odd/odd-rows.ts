import { ShapeTable } from "../../kernel/shapes.ts";
import { RecPushError } from "../../model/failure.ts";
import { cellOf, ESCAPED, type Row } from "../../model/problem-groups.ts";
import { quoteText } from "../../model/refer-to-sheets.ts";
import type { NullWords } from "../null-words.ts";
import { cellText, showCell, trimSpaces } from "../spreadsheet-text.ts";
import { type CellClass, CellClasses, CODE, EMPTY, NUMBER, TEXT } from "./cell-class.ts";
import { FormTable } from "./form-table.ts";
import {
  isNested,
  isRule,
  type Naming,
  type OddColumns,
  type OddKind,
  type RowForm,
  RowsSeen,
} from "./judge-rows.ts";
import { isKept, type OddAnswers, type Suspicion } from "./suspects.ts";
import { mayName, nameOf } from "./total-words.ts";

/** The columns of an input, with what is needed to find odd rows. */
export interface WatchedColumns extends OddColumns {
  /** By column: the words that mean "no value", if there are any. */
  readonly nullsAt: readonly (NullWords | undefined)[];
}

/** The names of the forms of odd rows, and why they are odd. */
export type FoundOdd = ReadonlyMap<string, OddKind>;

interface NotedForm {
  readonly form: RowForm;
  readonly facts: number;
  /** Names the form in what a survey found. */
  readonly name: string;
  count: number;
}

/** So many forms are kept; real files have at most a few dozen. */
const MOST_FORMS = 4096;
/** So many odd ones are no slip of a program: they stop the run. */
const MOST_ODD = 1024;
/** So few rows are compared with the others, not with themselves. */
const FEW_ROWS = 20;
/** The fewest columns of a row that numbers them. */
const LEAST_NUMBERED = 4;
const MOST_WIDTH = 15;
const FIRST_CELLS = 64;
const BLANK = 0x20;
const ASCII = 0x80;
const MOST_SHOWN = 3;
/** What a row that numbers the columns has beside its other facts. */
const NUMBERING = 9 * (MOST_WIDTH + 1);
const NAMINGS: readonly Naming[] = ["none", "name", "phrase"];

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
  readonly #forms = new Map<string, NotedForm>();
  /** The forms that were met, to be found without a text for each row. */
  #met = new FormTable<NotedForm>();
  /** What texts say about their rows, by their shapes. */
  readonly #names = new ShapeTable();
  /** Of the last row: the classes of its cells up to the last filled one, and its other facts. */
  #cells: Buffer = Buffer.alloc(FIRST_CELLS);
  #length = 0;
  #facts = 0;
  /** The rows whose forms were dropped. */
  #forgotten: RowsSeen | undefined;
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

  /** Notes the next row in file order. */
  note(row: Row): void {
    if (this.#known !== undefined || !this.#look(row)) return;
    const noted = this.#form();
    noted.count++;
    if (noted.count > 1) return;
    this.#forms.set(noted.name, noted);
    if (this.#forms.size >= MOST_FORMS) this.#forget(row.line);
  }

  /** Why the next row in file order is odd, as an earlier survey found it; `names`: those of the columns. */
  suspect(row: Row, names: () => readonly string[]): Suspicion | undefined {
    if (!this.areKnown) {
      this.note(row);
      return undefined;
    }
    if (!this.#look(row)) return undefined;
    const { form, name } = this.#form();
    const kind = this.#known!.get(name);
    return kind && { kind, text: this.#textOf(row, form, kind, names) };
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

  /** The odd forms, as compared with some of them and all that were forgotten. */
  #judge(proper: readonly NotedForm[]): Map<string, OddKind> {
    const seen = new RowsSeen(this.#columns, this.#forgotten);
    for (const { form, count } of proper) seen.add(form, count);
    const whole = seen.rows > FEW_ROWS ? seen.proper(this.#columns) : undefined;
    const judge = (form: RowForm): OddKind | undefined => {
      if (seen.rows < 2 && !isNested(form) && !isCertain(form)) return undefined;
      return (whole ?? others(proper, form, this.#columns).proper(this.#columns)).judge(form);
    };
    const odd = new Map<string, OddKind>();
    for (const [name, { form }] of this.#forms) {
      const kind = judge(form);
      if (kind !== undefined && !isKept(kind, this.#answers)) odd.set(name, kind);
    }
    return odd;
  }

  /** Keeps only the forms that are odd so far; the rows of the others stay counted. */
  #forget(line: number): void {
    const odd = this.#judge([...this.#forms.values()].filter(({ form }) => !isNested(form)));
    if (odd.size > MOST_ODD) throw tooMany(this.#file, line);
    this.#forgotten ??= new RowsSeen(this.#columns);
    for (const [name, { form, count }] of this.#forms) {
      if (odd.has(name)) continue;
      this.#forgotten.add(form, count);
      this.#forms.delete(name);
    }
    this.#met = new FormTable();
    for (const noted of this.#forms.values()) {
      const cells = Buffer.from(noted.form.cells, "latin1");
      this.#met.add(cells, cells.length, noted.facts, noted);
    }
  }

  /** Looks at the next row; false for one that holds nothing but a key. */
  #look(row: Row): boolean {
    const { key, nullsAt, width: columnCount } = this.#columns;
    const { spans } = row;
    let filled = 0;
    let first = -1;
    let text = -1;
    this.#length = 0;
    const count =
      spans === undefined
        ? (row.columns?.length ?? Math.min(columnCount, row.cells.length))
        : (row.width ?? 0);
    for (let at = 0; at < count; at++) {
      const column = row.columns?.[at] ?? at;
      const nulls = nullsAt[column];
      const cell =
        spans === undefined
          ? this.#classes.ofCell(row.cells[at], nulls)
          : this.#classes.ofSpan(row, column, nulls);
      if (cell === EMPTY) continue;
      this.#put(column, cell);
      filled++;
      if (first === -1) first = column;
      if (text === -1 && (cell === TEXT || cell === CODE)) text = column;
    }
    this.isBlank = filled === 0;
    const isKeyed = key !== undefined && this.#classAt(key) !== EMPTY;
    if (filled === 0 || (filled === 1 && isKeyed)) return false;
    const ofText = text === -1 ? "none" : this.#namingOf(row, text);
    const ofKey = isKeyed ? (key === text ? ofText : this.#namingOf(row, key)) : "none";
    const begin = key ?? first;
    const width = this.#classAt(begin) === NUMBER ? Math.min(lengthAt(row, begin), MOST_WIDTH) : 0;
    const isNumbers = this.#isFirst && filled >= LEAST_NUMBERED && isNumbering(row, this.#length);
    this.#isFirst = false;
    this.#facts =
      NAMINGS.indexOf(ofKey) + 3 * NAMINGS.indexOf(ofText) + 9 * width + (isNumbers ? NUMBERING : 0);
    return true;
  }

  /** What a cell says about its row: `Client 12` says what `Client 7` said. */
  #namingOf(row: Row, column: number): Naming {
    const { spans, firstCell = 0 } = row;
    const cell = firstCell + column;
    if (spans === undefined || (spans.marks[cell]! & ESCAPED) !== 0) return nameOf(textAt(row, column));
    const [start, end] = [spans.starts[cell]!, spans.ends[cell]!];
    if (!mayName(spans.bytes, start, end)) return "none";
    const shape = this.#names.find(0, true, spans.bytes, start, end);
    if (shape !== 0) return NAMINGS[this.#names.learnt(shape)]!;
    const naming = nameOf(textAt(row, column));
    this.#names.learn(0, true, spans.text(cell), NAMINGS.indexOf(naming));
    return naming;
  }

  #put(column: number, cell: CellClass): void {
    if (column >= this.#cells.length) this.#cells = Buffer.concat([this.#cells], 2 * (column + 1));
    if (column > this.#length) this.#cells.fill(EMPTY, this.#length, column);
    this.#cells[column] = cell.charCodeAt(0);
    this.#length = Math.max(this.#length, column + 1);
  }

  /** The class of a cell of the last row. */
  #classAt(column: number): string {
    return column < this.#length ? String.fromCharCode(this.#cells[column]!) : EMPTY;
  }

  /** The form of the last row. */
  #form(): NotedForm {
    const met = this.#met.find(this.#cells, this.#length, this.#facts);
    if (met !== undefined) return met;
    const facts = this.#facts;
    const cells = this.#cells.toString("latin1", 0, this.#length);
    const form: RowForm = {
      cells,
      key: NAMINGS[facts % 3]!,
      text: NAMINGS[Math.floor(facts / 3) % 3]!,
      width: Math.floor(facts / 9) % (MOST_WIDTH + 1),
      isNumbering: facts >= NUMBERING,
    };
    const noted = { form, facts, name: `${cells}${facts}`, count: 0 };
    // Only where odd rows are sought again: the forms that are counted are never so many.
    if (this.#met.size >= MOST_FORMS) this.#met = new FormTable();
    this.#met.add(this.#cells, this.#length, facts, noted);
    return noted;
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
function others(rows: readonly NotedForm[], without: RowForm, columns: OddColumns): RowsSeen {
  const seen = new RowsSeen(columns);
  for (const { form, count } of rows) seen.add(form, form === without ? count - 1 : count);
  return seen;
}

function isNumbering(row: Row, width: number): boolean {
  for (let column = 0; column < width; column++) {
    const text = textAt(row, column).replace(/^\((.*)\)$/, "$1");
    if (text !== "" && text !== String(column + 1)) return false;
  }
  return true;
}

/** How long the text of a number is. */
function lengthAt(row: Row, column: number): number {
  const { spans, firstCell = 0 } = row;
  const cell = firstCell + column;
  if (spans === undefined || (spans.marks[cell]! & ESCAPED) !== 0) return textAt(row, column).length;
  const [start, end] = [spans.starts[cell]!, spans.ends[cell]!];
  for (let at = start; at < end; at++)
    if (spans.bytes[at]! <= BLANK || spans.bytes[at]! >= ASCII) return textAt(row, column).length;
  return end - start;
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
