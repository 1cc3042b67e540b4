import { MOST_COLUMNS } from "../../model/marker-columns.ts";
import { ABSENT, ESCAPED, NO_TEXT, type Row, type RowProblem, type UnreadableRow } from "../../model/rows.ts";
import { inputError } from "../input-error.ts";
import type { JsonCells, PlacedRows } from "./json-cells.ts";
import { hasHalfPair, hintTwice, quoteForShell, showName } from "./json-fault.ts";
import { type JsonScalar, type JsonScanner, scalarText } from "./json-scan.ts";
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

/** A row may omit this many columns, plus as many as it has values. */
const MOST_LEFT_OUT = 64;
/** Objects nested deeper than this are not flattened. */
const MOST_LEVELS = 8;
const OPENING_BRACE = 0x7b;
const NO_COLUMN = -1;
/** The name is known, but not yet whether its value has members. */
const OPEN_COLUMN = -2;
const HALF_PAIR = "holds one half of a surrogate pair, which is not a character";

/** Collects the members of one object after another into rows. All of an object is in the window. */
export class JsonRecord {
  readonly columns = new JsonColumns();
  private readonly scanner: JsonScanner;
  private readonly names: MemberNames;
  /** By column: in which turn it was met last. */
  private readonly lastSeen: number[] = [];
  private turn = 0;
  private record = 0;
  private line = 0;
  /** The index of the row's `{`. */
  private start = 0;
  private ordinal = 0;
  private column = 0;
  private cells!: JsonCells;
  private firstCell = 0;
  private width = 0;
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
  /** Where the object or array begins that the current member holds, as long as it is open. */
  private openedAt = 0;
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
    return this.scanner.position - this.start;
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
    const { window, position } = this.scanner;
    this.record = record;
    this.turn += 1;
    this.line = window.line;
    this.start = position;
    this.cells = window.cells;
    this.firstCell = this.cells.count;
    this.width = this.columns.names.length;
    this.cells.begin(this.firstCell, this.width);
    this.path.length = 0;
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
    const { token, position } = this.scanner;
    if (type === "string" && token.hasEscapes && hasHalfPair(token.text()))
      this.blame(HALF_PAIR, "write the character out, or both halves of it", token.text());
    this.learn(this.flatten === undefined);
    if (type === "string") this.put(token.start, token.end, token.hasEscapes ? ESCAPED : 0);
    else if (type === "number") this.put(token.start, token.end, NO_TEXT);
    else this.put(position - type.length, type === "null" ? position - type.length : position, NO_TEXT);
    if (!this.hasOwn) this.judgeValue(scalarText(token, type));
  }

  /**
   * An object or an array begins. True if the object's members are to be passed on until {@link leave}; else only
   * {@link endNested} follows.
   */
  nested(isObject: boolean): boolean {
    this.openedAt = this.scanner.position;
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
    const { isEmpty, position, window } = this.scanner;
    // A column of its own would be a question about nothing.
    if (isEmpty && this.column === OPEN_COLUMN && !this.isKnown()) {
      this.enter();
      return;
    }
    this.settleColumn();
    const isObject = window.bytes[this.openedAt] === OPENING_BRACE;
    this.learn(this.flatten === undefined || isObject);
    if (!isObject) this.array ??= this.column;
    this.put(this.openedAt, isEmpty ? this.openedAt : position, NO_TEXT);
    if (isObject && !isEmpty) this.judgeValue("object");
  }

  /** Adds the row as collected, or returns why there is none; `isAlone`: it is not an array element, and may itself hold records. */
  end(rows: PlacedRows, isAlone: boolean): UnreadableRow | undefined {
    const { window, position } = this.scanner;
    const { cells, firstCell, line, record, start, width } = this;
    if (this.isFailure) this.blameFailure();
    else if (!this.hasOwn && isAlone && this.array !== undefined) this.blamePage(this.array);
    const { base } = window;
    if (this.problem !== undefined)
      return { ...this.problem, record, start: base + start, end: base + position };
    const listed = this.listCells();
    if (listed !== undefined) {
      rows.addListed({ line, record, start: base + start, end: base + position, ...listed });
      return undefined;
    }
    cells.count += width;
    rows.addFound({ cells, firstCell, width, base, line, records: record - 1 }, start, position);
    return undefined;
  }

  /** Of a record that has few of many members, only its own cells: everything later looks at each column of the others. */
  private listCells(): Required<Pick<Row, "cells" | "columns">> | undefined {
    const { cells, firstCell, width } = this;
    if (width <= MOST_LEFT_OUT) return undefined;
    const columns: number[] = [];
    for (let column = 0; column < width; column++)
      if ((cells.marks[firstCell + column]! & ABSENT) === 0) columns.push(column);
    if (width <= 2 * columns.length + MOST_LEFT_OUT) return undefined;
    return { columns, cells: columns.map((column) => cells.value(firstCell + column)) };
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
    if (this.lastSeen[column] === this.turn) {
      this.blame("is given twice in one record", hintTwice(this.columns.names[column]!, this.entered));
    }
    this.lastSeen[column] = this.turn;
  }

  private put(start: number, end: number, mark: number): void {
    const { cells, column, firstCell } = this;
    if (column < 0) return;
    for (; this.width <= column; this.width++) {
      cells.reserve(firstCell + this.width + 1);
      cells.put(firstCell + this.width, 0, 0, ABSENT | NO_TEXT);
    }
    cells.put(firstCell + column, start, end, mark);
  }

  /** Notes whether the current member shows that the row is a record, or that a service failed; an object in it is a value too. */
  private judgeValue(value: string): void {
    const { column } = this;
    if (column < 0 || this.hasOwn) return;
    const kind = this.kindOf(column);
    if (kind === "record") this.hasOwn = true;
    else if (kind === "failure" && !isNoFailure(value)) this.failure ??= column;
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
