import { isAscii } from "node:buffer";
import {
  ABSENT,
  type Cell,
  type CellSpans,
  ESCAPED,
  JsonNumber,
  NestedValue,
  NO_TEXT,
  type Row,
} from "../../model/problem-groups.ts";
import { type CellMemory, givenBack } from "../cell-memory.ts";

/** So many values are decoded one by one before all are. */
const MOST_LONE = 8;
const TRUE = 0x74;
const FALSE = 0x66;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/**
 * The values of some records as stretches of the bytes they were read from; a value is only made when it is asked
 * for.
 */
export class JsonCells implements CellSpans {
  readonly bytes: Buffer;
  readonly areRowsAdjacent = false;
  starts: Int32Array;
  ends: Int32Array;
  marks: Uint8Array;
  /** How many of them are taken. */
  count = 0;
  readonly memory: CellMemory;
  readonly #turn: number;
  #text: string | undefined;
  #asked = 0;

  /** `bytes` are in `memory`. */
  constructor(bytes: Buffer, memory: CellMemory) {
    this.bytes = bytes;
    this.memory = memory;
    this.#turn = memory.turn;
    ({ starts: this.starts, ends: this.ends, marks: this.marks } = memory);
  }

  /** Makes room for this many cells in total. */
  reserve(cells: number): void {
    if (cells > this.starts.length) this.#grow(cells);
  }

  put(cell: number, start: number, end: number, mark: number): void {
    this.starts[cell] = start;
    this.ends[cell] = end;
    this.marks[cell] = mark;
  }

  /** Makes room for the cells of one row from `first` on, none of which has a value yet. */
  begin(first: number, width: number): void {
    this.reserve(first + width);
    this.starts.fill(0, first, first + width);
    this.ends.fill(0, first, first + width);
    this.marks.fill(ABSENT | NO_TEXT, first, first + width);
  }

  text(cell: number): string {
    if (this.memory.turn !== this.#turn) throw givenBack();
    const [start, end] = [this.starts[cell]!, this.ends[cell]!];
    if ((this.marks[cell]! & ESCAPED) !== 0)
      return JSON.parse(this.bytes.toString("utf8", start - 1, end + 1)) as string;
    if (this.#asked++ < MOST_LONE) return this.bytes.toString("utf8", start, end);
    // Slicing one text costs a third of what decoding each value would.
    this.#text ??= isAscii(this.bytes) ? this.bytes.toString("latin1") : "";
    return this.#text === "" ? this.bytes.toString("utf8", start, end) : this.#text.slice(start, end);
  }

  value(cell: number): Cell {
    if (this.memory.turn !== this.#turn) throw givenBack();
    const mark = this.marks[cell]!;
    if ((mark & NO_TEXT) === 0) return this.text(cell);
    if ((mark & ABSENT) !== 0) return undefined;
    const start = this.starts[cell]!;
    if (start === this.ends[cell]) return null;
    const first = this.bytes[start]!;
    if (first === TRUE || first === FALSE) return first === TRUE;
    if (first === OPENING_BRACKET) return NESTED_ARRAY;
    return first === OPENING_BRACE ? NESTED_OBJECT : new JsonNumber(this.text(cell));
  }

  #grow(least: number): void {
    this.memory.reserveCells(Math.max(least, 2 * this.starts.length));
    ({ starts: this.starts, ends: this.ends, marks: this.marks } = this.memory);
  }
}

/** A record that was found in one go. */
export class JsonRow implements Row {
  readonly line: number;
  readonly record: number;
  readonly start: number;
  readonly end: number;
  readonly spans: JsonCells;
  readonly firstCell: number;
  readonly width: number;
  private known: readonly Cell[] | undefined = undefined;

  constructor(
    line: number,
    record: number,
    start: number,
    end: number,
    spans: JsonCells,
    firstCell: number,
    width: number,
  ) {
    this.line = line;
    this.record = record;
    this.start = start;
    this.end = end;
    this.spans = spans;
    this.firstCell = firstCell;
    this.width = width;
  }

  get cells(): readonly Cell[] {
    return (this.known ??= Array.from({ length: this.width }, (_, at) =>
      this.spans.value(this.firstCell + at),
    ));
  }
}

/** The cell of a member that holds an object. */
export const NESTED_OBJECT = new NestedValue("object");
/** The cell of a member that holds an array. */
export const NESTED_ARRAY = new NestedValue("array");
