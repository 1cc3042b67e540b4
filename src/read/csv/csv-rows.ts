import type { RowChunk, RowList } from "../../model/row.ts";
import type { CellMemory } from "../cell-memory.ts";
import type { CsvCells } from "./csv-cells.ts";
import { CsvRow } from "./csv-row.ts";

/** Line, start, end, first cell, width. */
const ROW_NUMBERS = 5;
/** As `BulkScan` finds them: the byte after the end of a row, and the number of the cell after its last one. */
const FOUND_NUMBERS = 2;

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

  /** Adds `count` rows of one line each that follow each other. */
  addAll(found: Int32Array, count: number, line: number, start: number, firstCell: number): void {
    this.#reserve(count);
    const numbers = this.#numbers;
    let to = this.#length * ROW_NUMBERS;
    let at = start;
    let cell = firstCell;
    for (let row = 0; row < count; row++, to += ROW_NUMBERS) {
      const end = found[FOUND_NUMBERS * row]!;
      const cellsEnd = found[FOUND_NUMBERS * row + 1]!;
      numbers[to] = line + row;
      numbers[to + 1] = at;
      numbers[to + 2] = end;
      numbers[to + 3] = cell;
      numbers[to + 4] = cellsEnd - cell;
      at = end;
      cell = cellsEnd;
    }
    this.#length += count;
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
