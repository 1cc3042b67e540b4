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
  type RowList,
} from "../../model/rows.ts";
import { CellMemory, givenBack } from "../cell-memory.ts";

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
    for (let cell = first; cell < first + width; cell++) this.put(cell, 0, 0, ABSENT | NO_TEXT);
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
class JsonRow implements Row {
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

/** Line, record, start, end, first cell, width. */
const ROW_NUMBERS = 6;

/** The first of the rows whose cells are in one piece of the content, and how many bytes are before that piece. */
interface Stretch {
  readonly from: number;
  readonly cells: JsonCells;
  readonly base: number;
}

/** Where found records are: their first cell, and the position, line and number of records of the bytes before them. */
export interface FoundPlace {
  readonly cells: JsonCells;
  readonly firstCell: number;
  readonly width: number;
  readonly base: number;
  readonly line: number;
  readonly records: number;
}

/** The rows of one chunk of JSON: places in the content, or rows that the strict scanner made. */
export class PlacedRows implements RowList {
  readonly #memory = CellMemory.take(0);
  #numbers = this.#memory.rows;
  #length = 0;
  #stretches: Stretch[] = [];
  readonly #made = new Map<number, Row>();

  get length(): number {
    return this.#length;
  }

  /** Adds a row that was made. */
  add(row: Row): void {
    this.#made.set(this.#length, row);
    this.#put(row.line, row.record ?? 0, 0, 0, 0, 0);
  }

  /** Adds the row that follows `place`; `start` and `end` are indexes in the bytes of its cells. */
  addFound(place: FoundPlace, start: number, end: number): void {
    this.#moveTo(place);
    this.#put(place.line, place.records + 1, start, end, place.firstCell, place.width);
  }

  line(index: number): number {
    return this.#numbers[index * ROW_NUMBERS]! >>> 0;
  }

  start(index: number): number {
    const made = this.#madeAt(index);
    return made?.start ?? this.#stretchAt(index).base + this.#numbers[index * ROW_NUMBERS + 2]!;
  }

  end(index: number): number {
    const made = this.#madeAt(index);
    return made?.end ?? this.#stretchAt(index).base + this.#numbers[index * ROW_NUMBERS + 3]!;
  }

  spans(index: number): CellSpans | undefined {
    return this.#madeAt(index) === undefined ? this.#stretchAt(index).cells : undefined;
  }

  firstCell(index: number): number {
    return this.#numbers[index * ROW_NUMBERS + 4]!;
  }

  width(index: number): number {
    return this.#numbers[index * ROW_NUMBERS + 5]!;
  }

  row(index: number): Row {
    const made = this.#madeAt(index);
    if (made !== undefined) return made;
    const record = this.#numbers[index * ROW_NUMBERS + 1]! >>> 0;
    const line = this.line(index);
    const start = this.start(index);
    const end = this.end(index);
    const { cells } = this.#stretchAt(index);
    return new JsonRow(line, record, start, end, cells, this.firstCell(index), this.width(index));
  }

  *[Symbol.iterator](): Generator<Row> {
    for (let index = 0; index < this.length; index++) yield this.row(index);
  }

  release(): void {
    if (this.#length === 0) return;
    this.#length = 0;
    for (const { cells } of this.#stretches) cells.memory.release();
    this.#stretches = [];
    this.#made.clear();
    this.#memory.release();
  }

  /** A row that was found ends somewhere. */
  #madeAt(index: number): Row | undefined {
    return this.#numbers[index * ROW_NUMBERS + 3] === 0 ? this.#made.get(index) : undefined;
  }

  #stretchAt(index: number): Stretch {
    let at = this.#stretches.length - 1;
    while (this.#stretches[at]!.from > index) at -= 1;
    return this.#stretches[at]!;
  }

  #moveTo({ cells, base }: FoundPlace): void {
    if (this.#stretches.at(-1)?.cells === cells) return;
    cells.memory.hold();
    this.#stretches.push({ from: this.#length, cells, base });
  }

  #put(line: number, record: number, start: number, end: number, firstCell: number, width: number): void {
    const to = this.#length * ROW_NUMBERS;
    if (to + ROW_NUMBERS > this.#numbers.length) {
      this.#memory.reserveNumbers(to + ROW_NUMBERS);
      this.#numbers = this.#memory.rows;
    }
    const numbers = this.#numbers;
    numbers[to] = line;
    numbers[to + 1] = record;
    numbers[to + 2] = start;
    numbers[to + 3] = end;
    numbers[to + 4] = firstCell;
    numbers[to + 5] = width;
    this.#length += 1;
  }
}
