import { isAscii } from "node:buffer";
import {
  type Cell,
  type CellSpans,
  ESCAPED,
  JsonNumber,
  NO_TEXT,
  QUOTED,
  type Row,
  type RowChunk,
  type RowList,
} from "../../model/rows.ts";
import { CellMemory, givenBack } from "../cell-memory.ts";
import { readFault } from "../xlsx/cell-faults.ts";
import type { CsvGrammar } from "./csv-grammar.ts";

/** So many cells are decoded one by one before all are. */
const MOST_LONE = 8;
/** By byte of UTF-8: by how many a character that begins with it has more bytes than UTF-16 units. */
const SURPLUS_BYTES = Int8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x80) return 0;
  if (byte < 0xc0) return 1;
  return byte < 0xf0 ? 0 : -1;
});

/** The text of some bytes, and where its cells are, in UTF-16 units. */
interface DecodedCells {
  readonly text: string;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** The cells of the rows of one buffer, as a scan finds them; a cell only becomes text when it is asked for. */
export class CsvCells implements CellSpans {
  readonly bytes: Buffer;
  readonly areRowsAdjacent = true;
  starts: Int32Array;
  ends: Int32Array;
  marks: Uint8Array;
  /** Number of cells, once the scan is done. */
  count = 0;
  readonly memory: CellMemory;
  readonly #turn: number;
  readonly #grammar: CsvGrammar;
  #decoded: DecodedCells | undefined;
  #asked = 0;

  /** `bytes` may be in `memory`. */
  constructor(bytes: Buffer, grammar: CsvGrammar, memory = new CellMemory()) {
    this.bytes = bytes;
    this.#grammar = grammar;
    this.memory = memory;
    this.#turn = memory.turn;
    ({ starts: this.starts, ends: this.ends, marks: this.marks } = memory);
  }

  get isSheet(): boolean {
    return this.#grammar.isSheet;
  }

  /** Makes room for this many cells in total, and for twice as many as before. */
  reserve(least: number): void {
    if (least <= this.starts.length) return;
    this.memory.reserveCells(Math.max(least, 2 * this.starts.length));
    ({ starts: this.starts, ends: this.ends, marks: this.marks } = this.memory);
  }

  /** Gives back their memory; what reads one of them as text then throws. */
  release(): void {
    if (this.memory.turn === this.#turn) this.memory.release();
  }

  /** The text of a cell, without quotes and escapes. */
  text(cell: number): string {
    if (this.memory.turn !== this.#turn) throw givenBack();
    const text = this.#slice(cell, 0);
    return (this.marks[cell]! & ESCAPED) === 0 ? text : this.#unescape(text);
  }

  value(cell: number): Cell {
    const text = this.text(cell);
    return (this.marks[cell]! & NO_TEXT) === 0 ? text : readSheetValue(text);
  }

  /** A cell as it is written, including quotes. */
  source(cell: number): string {
    if (this.memory.turn !== this.#turn) throw givenBack();
    return this.#slice(cell, this.marks[cell]! & QUOTED);
  }

  // Slicing one text costs a third of what decoding each cell would.
  #slice(cell: number, quote: number): string {
    if (this.#asked++ < MOST_LONE)
      return this.bytes.toString("utf8", this.starts[cell]! - quote, this.ends[cell]! + quote);
    this.#decoded ??= isAscii(this.bytes) ? this.#asAscii() : this.#decode();
    const { text, starts, ends } = this.#decoded;
    return text.slice(starts[cell]! - quote, ends[cell]! + quote);
  }

  #asAscii(): DecodedCells {
    return { text: this.bytes.toString("latin1"), starts: this.starts, ends: this.ends };
  }

  #decode(): DecodedCells {
    const { bytes, count } = this;
    const starts = new Int32Array(count);
    const ends = new Int32Array(count);
    // The line before the first cell may have been cut off in the middle of a character; its own quote is not.
    const first = this.starts[0]! - (this.marks[0]! & QUOTED);
    let at = first;
    let surplus = first;
    for (let cell = 0; cell < count; cell++) {
      const start = this.starts[cell]!;
      for (; at < start; at++) surplus += SURPLUS_BYTES[bytes[at]!]!;
      starts[cell] = start - surplus;
      const end = this.ends[cell]!;
      for (; at < end; at++) surplus += SURPLUS_BYTES[bytes[at]!]!;
      ends[cell] = end - surplus;
    }
    return { text: bytes.toString("utf8", first), starts, ends };
  }

  #unescape(text: string): string {
    const { quote, isBackslashEscape } = this.#grammar;
    if (isBackslashEscape) return text.replaceAll(/\\(.)/gs, "$1");
    const mark = String.fromCharCode(quote);
    return text.replaceAll(mark + mark, mark);
  }
}

const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;

/** The value of a cell of a sheet that is no text, as it is written among the rows. */
function readSheetValue(text: string): Cell {
  const first = text.charCodeAt(0);
  if ((first >= ZERO && first <= NINE) || first === MINUS) return new JsonNumber(text);
  if (text === "true" || text === "false") return text === "true";
  return readFault(text);
}

/** Line, start, end, first cell, width. */
const ROW_NUMBERS = 5;

/** A chunk of a CSV. */
export interface CsvChunk extends RowChunk {
  readonly rows: CsvRows;
}

/** The rows of one chunk of a CSV. */
export class CsvRows implements RowList<CsvRow> {
  readonly cells: CsvCells;
  #length = 0;
  /** Number of bytes of the content before those of the cells. */
  readonly #base: number;
  readonly #memory: CellMemory;
  #numbers: Int32Array;

  constructor(cells: CsvCells, base: number) {
    this.cells = cells;
    this.#base = base;
    this.#memory = cells.memory;
    this.#numbers = this.#memory.rows;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a row; `start` and `end` are positions in the bytes of the cells. */
  add(line: number, start: number, end: number, firstCell: number, width: number): void {
    this.#reserve(1);
    const to = this.#length * ROW_NUMBERS;
    const numbers = this.#numbers;
    numbers[to] = line;
    numbers[to + 1] = start;
    numbers[to + 2] = end;
    numbers[to + 3] = firstCell;
    numbers[to + 4] = width;
    this.#length += 1;
  }

  line(index: number): number {
    return this.#numbers[index * ROW_NUMBERS]! >>> 0;
  }

  start(index: number): number {
    return this.#base + this.#numbers[index * ROW_NUMBERS + 1]!;
  }

  end(index: number): number {
    return this.#base + this.#numbers[index * ROW_NUMBERS + 2]!;
  }

  spans(): CsvCells {
    return this.cells;
  }

  firstCell(index: number): number {
    return this.#numbers[index * ROW_NUMBERS + 3]!;
  }

  width(index: number): number {
    return this.#numbers[index * ROW_NUMBERS + 4]!;
  }

  row(index: number): CsvRow {
    const line = this.line(index);
    const start = this.start(index);
    const end = this.end(index);
    return new CsvRow(line, start, end, this.cells, this.firstCell(index), this.width(index));
  }

  *[Symbol.iterator](): Generator<CsvRow> {
    for (let index = 0; index < this.length; index++) yield this.row(index);
  }

  /** Leaves out the rows for whose numbers `isKept` is false; the others move up. */
  keep(isKept: (index: number) => boolean): void {
    const numbers = this.#numbers;
    let kept = 0;
    for (let index = 0; index < this.length; index++) {
      if (!isKept(index)) continue;
      numbers.copyWithin(kept * ROW_NUMBERS, index * ROW_NUMBERS, (index + 1) * ROW_NUMBERS);
      kept += 1;
    }
    this.#length = kept;
  }

  /** Leaves out the cells behind the first `width` of each row. */
  narrow(width: number): void {
    for (let index = 0; index < this.length; index++) this.#numbers[index * ROW_NUMBERS + 4] = width;
  }

  release(): void {
    this.#length = 0;
    this.cells.release();
  }

  #reserve(rows: number): void {
    this.#memory.reserveNumbers((this.#length + rows) * ROW_NUMBERS);
    this.#numbers = this.#memory.rows;
  }
}

/** A row of a CSV, whose cells only become text when they are asked for. */
export class CsvRow implements Row {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly spans: CsvCells;
  readonly firstCell: number;
  /** Number of cells. */
  readonly width: number;

  constructor(line: number, start: number, end: number, spans: CsvCells, firstCell: number, width: number) {
    this.line = line;
    this.start = start;
    this.end = end;
    this.spans = spans;
    this.firstCell = firstCell;
    this.width = width;
  }

  /** Made whenever they are asked for: kept, those of a sample would take ten times its size. */
  get cells(): string[] {
    const { spans, firstCell, width } = this;
    const cells: string[] = [];
    for (let cell = firstCell; cell < firstCell + width; cell++) cells.push(spans.text(cell));
    return cells;
  }

  /** One of them; empty behind the last one. */
  cell(at: number): string {
    return at < this.width ? this.spans.text(this.firstCell + at) : "";
  }

  /** The cells as they are written, including quotes. */
  get sources(): string[] {
    return Array.from({ length: this.width }, (_, at) => this.spans.source(this.firstCell + at));
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
}
