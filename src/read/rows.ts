import { type Cell, type CellSpans, ESCAPED, QUOTED, type Row, type RowList } from "../model/rows.ts";

// Rows of every format: numbers that say where rows and cells are in the bytes they were read from.

/** So many cells are decoded one by one before all are. */
const MOST_LONE = 8;
const HIGH = /[^\0-\x7f]/;
const LEAST_CELLS = 64;

/** The cells of some rows in one buffer; a cell only becomes text or a value when it is asked for. */
export abstract class ByteCells implements CellSpans {
  readonly bytes: Buffer;
  abstract readonly areRowsAdjacent: boolean;
  readonly isSheet: boolean = false;
  starts: Int32Array;
  ends: Int32Array;
  marks: Uint8Array;
  /** How many of them are taken. */
  count = 0;
  #latin1: string | undefined;
  #asked = 0;

  /** `cells`: roughly how many there are. */
  constructor(bytes: Buffer, cells: number) {
    this.bytes = bytes;
    const room = Math.max(LEAST_CELLS, cells);
    this.starts = intsFor(room);
    this.ends = intsFor(room);
    this.marks = Buffer.allocUnsafeSlow(room);
  }

  /** Makes room for this many cells in total, and for twice as many as before. */
  reserve(least: number): void {
    if (least <= this.starts.length) return;
    const room = Math.max(least, 2 * this.starts.length);
    this.starts = copied(this.starts, intsFor(room));
    this.ends = copied(this.ends, intsFor(room));
    this.marks = copied(this.marks, Buffer.allocUnsafeSlow(room));
  }

  /** The text of a cell, without quotes and escapes. */
  text(cell: number): string {
    const start = this.starts[cell]!;
    const end = this.ends[cell]!;
    return (this.marks[cell]! & ESCAPED) === 0 ? this.slice(start, end) : this.unescape(start, end);
  }

  /** A cell as it is written, including quotes. */
  source(cell: number): string {
    const quote = this.marks[cell]! & QUOTED;
    return this.slice(this.starts[cell]! - quote, this.ends[cell]! + quote);
  }

  abstract value(cell: number): Cell;

  /** The text of bytes with an escape among them. */
  protected abstract unescape(start: number, end: number): string;

  protected slice(start: number, end: number): string {
    if (this.#asked++ < MOST_LONE) return this.bytes.toString("utf8", start, end);
    // Slicing one text costs a third of what decoding each cell would. In Latin-1 each byte is a character.
    this.#latin1 ??= this.bytes.toString("latin1");
    const text = this.#latin1.slice(start, end);
    return HIGH.test(text) ? this.bytes.toString("utf8", start, end) : text;
  }
}

/** Not cleared: nobody reads a number that was not written. */
function intsFor(count: number): Int32Array {
  return new Int32Array(Buffer.allocUnsafeSlow(Int32Array.BYTES_PER_ELEMENT * count).buffer);
}

function copied<Values extends Int32Array | Uint8Array>(from: Values, to: Values): Values {
  to.set(from);
  return to;
}

/** Line, record, start, end, first cell, width. */
const ROW_NUMBERS = 6;
const LEAST_ROWS = 64;

/** The rows of one chunk. Their cells are in one buffer. */
export class Rows<Cells extends ByteCells> implements RowList<SpanRow> {
  readonly cells: Cells;
  /** Number of bytes of the content before that buffer. */
  readonly #base: number;
  #numbers: Int32Array;
  #length = 0;

  constructor(cells: Cells, base: number) {
    this.cells = cells;
    this.#base = base;
    const likelyRows = Math.max(LEAST_ROWS, Math.ceil(cells.starts.length / ROW_NUMBERS));
    this.#numbers = intsFor(likelyRows * ROW_NUMBERS);
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a row of the buffer; `start` and `end` are positions in it. */
  add(line: number, start: number, end: number, firstCell: number, width: number, record = 0): void {
    const to = this.#length * ROW_NUMBERS;
    if (to === this.#numbers.length) this.#numbers = copied(this.#numbers, intsFor(2 * to));
    const numbers = this.#numbers;
    numbers[to] = line;
    numbers[to + 1] = record;
    numbers[to + 2] = start;
    numbers[to + 3] = end;
    numbers[to + 4] = firstCell;
    numbers[to + 5] = width;
    this.#length += 1;
  }

  line(index: number): number {
    return this.#numbers[index * ROW_NUMBERS]! >>> 0;
  }

  start(index: number): number {
    return this.#base + this.#numbers[index * ROW_NUMBERS + 2]!;
  }

  end(index: number): number {
    return this.#base + this.#numbers[index * ROW_NUMBERS + 3]!;
  }

  /** All rows are in one buffer. */
  spans(): Cells {
    return this.cells;
  }

  firstCell(index: number): number {
    return this.#numbers[index * ROW_NUMBERS + 4]!;
  }

  width(index: number): number {
    return this.#numbers[index * ROW_NUMBERS + 5]!;
  }

  row(index: number): SpanRow {
    return new SpanRow(this, index, this.#numbers[index * ROW_NUMBERS + 1]! >>> 0);
  }

  *[Symbol.iterator](): Generator<SpanRow> {
    for (let index = 0; index < this.length; index++) yield this.row(index);
  }

  /** Leaves out the rows for whose numbers `isKept` is false; the others move up. */
  keep(isKept: (index: number) => boolean): void {
    const numbers = this.#numbers;
    let kept = 0;
    for (let index = 0; index < this.length; index++) {
      if (!isKept(index)) continue;
      if (kept < index)
        numbers.copyWithin(kept * ROW_NUMBERS, index * ROW_NUMBERS, (index + 1) * ROW_NUMBERS);
      kept += 1;
    }
    this.#length = kept;
  }

  /** Leaves out the cells behind the first `width` of each row. */
  narrow(width: number): void {
    for (let at = 5; at < this.length * ROW_NUMBERS; at += ROW_NUMBERS)
      this.#numbers[at] = Math.min(this.#numbers[at]!, width);
  }
}

/** A row whose cells are only made when they are asked for. */
export class SpanRow implements Row {
  readonly line: number;
  readonly record?: number;
  readonly start: number;
  readonly end: number;
  readonly spans: ByteCells;
  readonly firstCell: number;
  /** Number of cells. */
  readonly width: number;

  /** `record` is 0 where rows have none. */
  constructor(rows: Rows<ByteCells>, index: number, record: number) {
    this.line = rows.line(index);
    if (record > 0) this.record = record;
    this.start = rows.start(index);
    this.end = rows.end(index);
    this.spans = rows.cells;
    this.firstCell = rows.firstCell(index);
    this.width = rows.width(index);
  }

  /** Made whenever they are asked for: kept, those of a sample would take ten times its size. */
  get cells(): readonly Cell[] {
    return this.#each((cell) => this.spans.value(cell));
  }

  /** The texts of the cells of a CSV or a sheet. */
  get texts(): readonly string[] {
    return this.#each((cell) => this.spans.text(cell));
  }

  /** The same as they are written, including quotes. */
  get sources(): readonly string[] {
    return this.#each((cell) => this.spans.source(cell));
  }

  /** Number of cells that hold more than spaces. */
  get filled(): number {
    const { spans, firstCell, width } = this;
    let filled = 0;
    for (let cell = firstCell; cell < firstCell + width; cell++) {
      const start = spans.starts[cell]!;
      if (start >= spans.ends[cell]!) continue;
      const first = spans.bytes[start]!;
      if ((first > 0x20 && first < 0x80) || spans.text(cell).trim() !== "") filled++;
    }
    return filled;
  }

  #each<Made>(make: (cell: number) => Made): Made[] {
    return Array.from({ length: this.width }, (_, at) => make(this.firstCell + at));
  }
}
