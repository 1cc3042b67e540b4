import { QUOTED, type Row, type RowChunk, type RowList } from "../../model/problem-groups.ts";
import type { Dialect } from "../../model/reading.ts";
import type { CellMemory } from "../cell-memory.ts";
import type { CsvCells } from "./csv-cells.ts";

// In a file with `;`, `Caf&eacute; du Port` without quotes is read as two cells: the first ends in an entity that lacks its `;`.

const AMPERSAND = 0x26;
/** The longest are `&#x1F600` and `&lsaquo`. */
const LONGEST = 9;
/** A number, a letter with an accent, or another sign of Latin-1. A list, so that `R&D` and `Dupont&fils` are none. */
const ENTITY =
  /^&(?:#\d{2,6}|#[Xx][\dA-Fa-f]{2,6}|[A-Za-z]{1,2}(?:acute|caron|cedil|circ|grave|lig|ring|slash|tilde|uml)|amp|apos|bdquo|bull|cent|copy|deg|eth|ETH|euro|frac[13][24]|gt|hellip|iexcl|iquest|laquo|ldquo|lsaquo|lsquo|lt|mdash|micro|middot|nbsp|ndash|ordf|ordm|para|plusmn|pound|quot|raquo|rdquo|reg|rsaquo|rsquo|sbquo|sect|shy|sup[123]|thorn|THORN|times|trade|yen)$/;

/** True for files in which an entity without quotes ends its cell. */
export function mayCutEntities({ delimiter, isSheet }: Pick<Dialect, "delimiter" | "isSheet">): boolean {
  return delimiter === ";" && isSheet !== true;
}

/** True for a row with a cell that ends in an entity without its `;`, before another cell. */
export function isCutInEntity({ spans, firstCell, width }: CsvRow): boolean {
  for (let cell = firstCell; cell < firstCell + width - 1; cell++) {
    const end = spans.ends[cell]!;
    const from = Math.max(spans.starts[cell]!, end - LONGEST);
    for (let at = from; at < end; at++)
      if (spans.bytes[at] === AMPERSAND && endsInEntity(spans, cell, at)) return true;
  }
  return false;
}

/** The numbers of all such rows, each with the index of the cell in the row. A file without `&` costs one look at its bytes. */
export function findCutRows(rows: CsvRows): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const last = rows.length - 1;
  if (last < 0) return found;
  const { cells } = rows;
  const count = rows.firstCell(last) + rows.width(last);
  for (let at = next(cells, 0); at !== -1; at = next(cells, at + 1)) {
    const cell = findLast(count, (index) => cells.starts[index]! <= at);
    if (!endsInEntity(cells, cell, at)) continue;
    const row = findLast(rows.length, (index) => rows.firstCell(index) <= cell);
    const index = cell - rows.firstCell(row);
    if (index >= 0 && index < rows.width(row) - 1 && !found.has(row)) found.set(row, index);
  }
  return found;
}

function next({ bytes }: CsvCells, from: number): number {
  return bytes.indexOf(AMPERSAND, from);
}

function endsInEntity({ bytes, ends, marks }: CsvCells, cell: number, at: number): boolean {
  const end = ends[cell]!;
  if (end - at > LONGEST || (marks[cell]! & QUOTED) !== 0) return false;
  return ENTITY.test(bytes.toString("latin1", at, end));
}

/** The last number below `count` for which it is true; it is true up to there. */
function findLast(count: number, isTrue: (index: number) => boolean): number {
  let [from, to] = [0, count];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (isTrue(middle)) from = middle;
    else to = middle;
  }
  return from;
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
