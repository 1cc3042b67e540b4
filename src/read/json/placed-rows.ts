import type { CellSpans, Row, RowList } from "../../model/problem-groups.ts";
import { CellMemory } from "../cell-memory.ts";
import { type JsonCells, JsonRow } from "./json-cells.ts";

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

  #madeAt(index: number): Row | undefined {
    return this.#made.size > 0 ? this.#made.get(index) : undefined;
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
