import { MOST_COLUMNS } from "../../model/marker-columns.ts";
import {
  type Cell,
  JsonNumber,
  NestedValue,
  type Row,
  type RowProblem,
  type UnreadableRow,
  UnusableCell,
} from "../../model/rows.ts";
import { inputError } from "../input-error.ts";
import { NESTED_ARRAY, NESTED_OBJECT } from "./json-cells.ts";
import { hasHalfPair, hintTwice, quoteForShell, showName } from "./json-fault.ts";
import type { JsonScalar, JsonScanner } from "./json-scan.ts";
import { isNoFailure, MemberJudge, type MemberKind } from "./member-judge.ts";
import type { MemberNames } from "./plain-records.ts";

/** Rules that decide which members a row has. */
export interface MemberRules {
  /** Names of members that are left whole while the others are flattened; `undefined` if no member is flattened. */
  readonly flatten?: readonly string[] | undefined;
  readonly declared?: readonly string[] | undefined;
  readonly dropped?: readonly string[] | undefined;
}

/** An object that uses data as names would otherwise fill memory. */
const MAX_NAMES_LENGTH = 1_048_576;

/** The member names of one pass, in order of first appearance in the file. */
class JsonColumns {
  readonly names: string[] = [];
  private readonly encoded: Buffer[] = [];
  private readonly columns = new Map<string, number>();
  /**
   * Most rows have the same names in the same order: for each ordinal, the column at this position in the row before.
   */
  private readonly expected: number[] = [];
  private namesLength = 0;

  /**
   * The column of the name that the scanner is at, the `ordinal`th (from 0) of its row. Throws an input error at more
   * than 2,000 names, or at names of more than 1 MiB in total.
   */
  find(scanner: JsonScanner, ordinal: number): number {
    const expected = this.expected[ordinal];
    if (expected !== undefined && scanner.token.holds(this.encoded[expected]!)) return expected;
    const name = scanner.token.text();
    const column = this.columns.get(name) ?? this.add(name, scanner);
    if (ordinal < MOST_COLUMNS) this.expected[ordinal] = column;
    return column;
  }

  /** Whether a member of this name was met. */
  has(name: string): boolean {
    return this.columns.has(name);
  }

  /** The column of a name. Throws like {@link find}. */
  findByName(name: string, scanner: JsonScanner): number {
    return this.columns.get(name) ?? this.add(name, scanner);
  }

  private add(name: string, scanner: JsonScanner): number {
    this.namesLength += name.length;
    if (this.names.length === MOST_COLUMNS || this.namesLength > MAX_NAMES_LENGTH) {
      throw inputError(
        scanner.window.linePlace,
        "too-many-columns",
        `more than ${MOST_COLUMNS.toLocaleString("en")} different member names, or names of more than 1 MiB`,
        { hint: "give every row the same members: names that are data (ids, dates) have to become values" },
      );
    }
    this.columns.set(name, this.names.length);
    this.encoded.push(Buffer.from(name));
    return this.names.push(name) - 1;
  }
}

/** Objects nested deeper than this are not flattened. */
const MOST_LEVELS = 8;
const NO_COLUMN = -1;
/** The name is known, but not yet whether its value has members. */
const OPEN_COLUMN = -2;
const HALF_PAIR = "holds one half of a surrogate pair, which is not a character";

/** Collects the members of one object after another into rows. */
export class JsonRecord {
  readonly columns = new JsonColumns();
  private readonly scanner: JsonScanner;
  private readonly names: MemberNames;
  /** By column: the last record that had it. */
  private readonly lastSeen: number[] = [];
  private record = 0;
  private line = 0;
  private offset = 0;
  private ordinal = 0;
  private column = 0;
  private readonly cells = new RowCells();
  private problem: RowProblem | undefined;
  private readonly judge: MemberJudge;
  private readonly flatten: readonly string[] | undefined;
  /** The names of the flattened objects around the current member. */
  private readonly path: string[] = [];
  private readonly entered = new Set<string>();
  private memberName = "";
  private readonly kinds: MemberKind[] = [];
  private hasOwn = false;
  private failure: number | undefined;
  private array: number | undefined;
  /** The object or array that the current member holds, as long as it is open. */
  private opened: NestedValue = NESTED_OBJECT;
  private readonly dropped: readonly string[];

  /** `names` learns the members. */
  constructor(scanner: JsonScanner, names: MemberNames, { flatten, declared, dropped = [] }: MemberRules) {
    this.scanner = scanner;
    this.names = names;
    this.judge = new MemberJudge(declared);
    this.flatten = flatten;
    this.dropped = dropped;
  }

  /** Number of flattened objects around the current member, inside the row. */
  get levels(): number {
    return this.path.length;
  }

  /** Bytes from the row's `{` to the current token. */
  get bytes(): number {
    return this.scanner.offset - this.offset;
  }

  /** True if the current row says that a service failed, and nothing in it belongs to a record. */
  get isFailure(): boolean {
    return !this.hasOwn && this.failure !== undefined;
  }

  /** The place of the row's `{`, for messages. */
  get place(): { readonly file: string; readonly line: number } {
    return { file: this.scanner.window.file, line: this.line };
  }

  /** Begins a row at the `{` that the scanner is at; `record`: its position in the list. */
  begin(record: number): void {
    this.record = record;
    this.line = this.scanner.window.line;
    this.offset = this.scanner.offset;
    this.ordinal = 0;
    this.problem = undefined;
    this.hasOwn = false;
    this.failure = undefined;
    this.array = undefined;
    if (this.entered.size > 0) this.entered.clear();
  }

  name(): void {
    const { token } = this.scanner;
    if (token.hasEscapes && hasHalfPair(token.text())) {
      this.column = NO_COLUMN;
      this.problem ??= { line: this.line, reason: `the name ${showName(token.text())} ${HALF_PAIR}` };
    } else if (this.flatten === undefined) {
      this.meet(this.columns.find(this.scanner, this.ordinal++));
    } else {
      // An object may be replaced by its members.
      this.column = OPEN_COLUMN;
      this.memberName = token.text();
    }
  }

  scalar(type: JsonScalar): void {
    this.settleColumn();
    const cell = readCell(this.scanner, type);
    if (typeof cell === "string" && this.scanner.token.hasEscapes && hasHalfPair(cell)) {
      this.blame(HALF_PAIR, "write the character out, or both halves of it", cell);
    }
    this.learn(this.flatten === undefined);
    this.put(cell);
  }

  /**
   * An object or an array begins. True if the object's members are to be passed on until {@link leave}; else only
   * {@link endNested} follows.
   */
  nested(isObject: boolean): boolean {
    this.opened = isObject ? NESTED_OBJECT : NESTED_ARRAY;
    if (!isObject || this.column !== OPEN_COLUMN || !this.isFlattened()) return false;
    this.enter();
    this.path.push(this.memberName);
    return true;
  }

  /** The innermost flattened object ends. */
  leave(): void {
    this.path.pop();
  }

  /** The object or array ends whose members were not passed on. PHP writes an empty object as `[]`: it holds nothing. */
  endNested(): void {
    const { opened } = this;
    const { isEmpty } = this.scanner;
    // A column of its own would be a question about nothing.
    if (isEmpty && this.column === OPEN_COLUMN && !this.isKnown()) {
      this.enter();
      return;
    }
    this.settleColumn();
    this.learn(this.flatten === undefined || opened === NESTED_OBJECT);
    if (opened === NESTED_ARRAY) this.array ??= this.column;
    if (!isEmpty) this.put(opened);
    else if (this.column >= 0) this.cells.put(this.column, null);
  }

  /** The row as collected, or why there is none; `isAlone`: it is not an array element, and may itself hold records. */
  end(isAlone: boolean): Row | UnreadableRow {
    const { offset: start } = this;
    const end = this.scanner.offset;
    const { cells, columns } = this.cells.take();
    if (this.isFailure) this.blameFailure();
    else if (!this.hasOwn && isAlone && this.array !== undefined) this.blamePage(this.array);
    const { line, record } = this;
    if (this.problem !== undefined) return { ...this.problem, record, start, end };
    return columns === undefined
      ? { line, record, cells, start, end }
      : { line, record, cells, columns, start, end };
  }

  /** The current member's value is of a column; `isWhole`: so is an object in its place. */
  private learn(isWhole: boolean): void {
    const { column } = this;
    if (column < 0) return;
    const name = this.flatten === undefined ? this.columns.names[column]! : this.memberName;
    this.names.learn(this.path, name, { column, isOwn: this.kindOf(column) === "record", isWhole });
  }

  private isFlattened(): boolean {
    return this.path.length < MOST_LEVELS && !this.isDropped();
  }

  private isDropped(): boolean {
    return this.flatten!.includes(this.fullName("_")) || this.flatten!.includes(this.fullName("."));
  }

  /** Whether the current member has a column, or an option names it. */
  private isKnown(): boolean {
    const name = this.fullName("_");
    return this.columns.has(name) || this.judge.isDeclared(name) || this.isDropped();
  }

  /** Notes a member that gives the record no value of its own, but may be given only once. */
  private enter(): void {
    const name = this.fullName("_");
    if (this.entered.has(name))
      this.problem ??= { line: this.line, reason: `the member ${showName(name)} is given twice` };
    this.entered.add(name);
  }

  private fullName(sign: string): string {
    return this.path.length === 0 ? this.memberName : [...this.path, this.memberName].join(sign);
  }

  private settleColumn(): void {
    if (this.column === OPEN_COLUMN) this.meet(this.columns.findByName(this.fullName("_"), this.scanner));
  }

  private meet(column: number): void {
    this.column = column;
    if (this.lastSeen[column] === this.record) {
      this.blame("is given twice in one record", hintTwice(this.columns.names[column]!, this.entered));
    }
    this.lastSeen[column] = this.record;
  }

  private put(cell: Cell): void {
    const { column } = this;
    if (column < 0) return;
    this.cells.put(column, cell);
    if (this.hasOwn || cell === NESTED_ARRAY) return;
    const kind = this.kindOf(column);
    if (kind === "record") this.hasOwn = true;
    else if (kind === "failure" && !isNoFailure(textOf(cell))) this.failure ??= column;
  }

  private kindOf(column: number): MemberKind {
    return (this.kinds[column] ??= this.judge.kindOf(this.columns.names[column]!));
  }

  /** For pages of answers, one on each line: leaving out the array would leave out everything. */
  private blamePage(column: number): void {
    const name = this.columns.names[column]!;
    if (this.dropped.includes(name)) return;
    this.column = column;
    this.blame(
      "is an array, and nothing beside it belongs to a record",
      `--json-path ${quoteForShell(name)} sends the records in it`,
    );
  }

  /** For a line among the records in which a service reports a failure: it is not a record. */
  private blameFailure(): void {
    this.column = this.failure!;
    const name = this.columns.names[this.column]!;
    const hint = `--type ${name}=text where it is no failure`;
    this.blame("says that a service failed, and nothing in the row belongs to a record", hint);
  }

  private blame(reason: string, hint: string, value?: string): void {
    this.problem ??= {
      line: this.line,
      header: this.columns.names[this.column]!,
      reason,
      hint,
      ...(value === undefined ? {} : { value }),
    };
  }
}

/** The cell for the scalar at which the scanner is. */
function readCell(scanner: JsonScanner, type: JsonScalar): Cell {
  switch (type) {
    case "string":
      return scanner.token.text();
    case "number":
      return new JsonNumber(scanner.token.text());
    case "null":
      return null;
    case "true":
      return true;
    case "false":
      return false;
  }
}

/** The text by which a member named like a failure is judged; a nested value means a failure. */
function textOf(cell: Cell): string {
  if (cell instanceof UnusableCell) return cell instanceof NestedValue ? cell.what : "";
  return cell instanceof JsonNumber ? cell.source : String(cell ?? "");
}

/**
 * A row may omit this many columns, plus one for each of its cells; beyond that, the columns of its cells are listed.
 */
const MOST_LEFT_OUT = 64;

/** A cell and its column. */
interface PlacedCell {
  readonly column: number;
  readonly cell: Cell;
}

/** Collects the cells of one row after another, whatever their columns, in memory for the cells alone. */
export class RowCells {
  /** By column. */
  #cells: Cell[] = [];
  /** Cells whose columns are too far beyond the others. */
  #far: PlacedCell[] = [];
  #count = 0;

  /** Adds a cell; a row has at most one in each column. */
  put(column: number, cell: Cell): void {
    this.#count++;
    // Most rows have the same members in the same order.
    if (column === this.#cells.length) this.#cells.push(cell);
    else if (this.#isFar(column)) this.#far.push({ column, cell });
    else this.#set(column, cell);
  }

  /** Returns the cells of the row, and forgets them. */
  take(): Pick<Row, "cells" | "columns"> {
    const row = this.#far.length === 0 ? { cells: this.#cells } : this.#withFar();
    this.#cells = [];
    this.#count = 0;
    return row;
  }

  #withFar(): Pick<Row, "cells" | "columns"> {
    const far = this.#far;
    this.#far = [];
    if (far.some(({ column }) => this.#isFar(column))) return listCells(this.#cells, far);
    for (const { column, cell } of far) this.#set(column, cell);
    return { cells: this.#cells };
  }

  #isFar(column: number): boolean {
    return column > 2 * this.#count + MOST_LEFT_OUT;
  }

  #set(column: number, cell: Cell): void {
    while (this.#cells.length < column) this.#cells.push(undefined);
    this.#cells[column] = cell;
  }
}

function listCells(
  cells: readonly Cell[],
  far: readonly PlacedCell[],
): Required<Pick<Row, "cells" | "columns">> {
  const near = cells.flatMap((cell, column): PlacedCell[] => (cell === undefined ? [] : [{ column, cell }]));
  const all = near.concat(far).sort((left, right) => left.column - right.column);
  return { cells: all.map(({ cell }) => cell), columns: all.map(({ column }) => column) };
}
