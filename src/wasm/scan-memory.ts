import { type Area, INT_BYTES, RowsInstance } from "./rows-instance.ts";

/** At most so many rows and cells are found at once. */
const MOST_ROWS = 4096;
const MOST_CELLS = 32_768;
/** For each row. */
const MOST_NUMBERS = 3;
/** From how many bytes on it is worth its while. */
const LEAST_BYTES = 65_536;
/** More bytes than these are scanned row by row. */
const MOST_BYTES = 8_388_608;

/** Cells as stretches of bytes, as they are found. */
export interface ScannedCells {
  readonly bytes: Buffer;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly marks: Uint8Array;
  /** Makes room for this many cells in total. */
  reserve(cells: number): void;
}

let shared: ScanMemory | undefined;

/** Bytes in the memory of an instance, and the rows and cells that it finds in them. All scans of a thread share one. */
export class ScanMemory {
  readonly instance: RowsInstance;
  /** Whose bytes are there. */
  #owner: ScannedCells | undefined;
  readonly #bytes: Area = RowsInstance.area();
  readonly #starts: number;
  readonly #ends: number;
  readonly #marks: number;
  readonly #rows: number;

  private constructor(instance: RowsInstance) {
    this.instance = instance;
    this.#starts = instance.allocate(MOST_CELLS * INT_BYTES);
    this.#ends = instance.allocate(MOST_CELLS * INT_BYTES);
    this.#marks = instance.allocate(MOST_CELLS);
    this.#rows = instance.allocate(MOST_NUMBERS * MOST_ROWS * INT_BYTES);
    instance.exports.setCells(this.#starts, this.#ends, this.#marks, MOST_CELLS, this.#rows);
  }

  /** `undefined` where there is no WebAssembly. */
  static open(): ScanMemory | undefined {
    if (shared !== undefined) return shared;
    const instance = RowsInstance.open();
    shared = instance && new ScanMemory(instance);
    return shared;
  }

  /** False for so many bytes that it is not worth its while, or that there is no memory for them. */
  static canHold(bytes: number, leastBytes = LEAST_BYTES): boolean {
    return bytes >= leastBytes && bytes <= MOST_BYTES;
  }

  /** How many rows may be found at once. */
  static atMost(rows: number): number {
    return Math.min(rows, MOST_ROWS);
  }

  /** Loads the bytes whose cells are to be found; true if they had not been the last ones. */
  load(cells: ScannedCells, maxRowBytes: number): boolean {
    if (this.#owner === cells) return false;
    this.#owner = cells;
    this.instance.fill(this.#bytes, cells.bytes);
    const longest = Math.min(maxRowBytes, MOST_BYTES);
    this.instance.exports.setContent(this.#bytes.at, cells.bytes.length, longest);
    return true;
  }

  /** What was found of the rows: so many numbers for each. */
  rows(count: number, numbers: number): Int32Array {
    return new Int32Array(this.instance.bytes.buffer, this.#rows, count * numbers);
  }

  /** Copies the first cells that were found behind those before `firstCell`. */
  copy(count: number, cells: ScannedCells, firstCell: number): void {
    const { buffer } = this.instance.bytes;
    cells.reserve(firstCell + count);
    cells.starts.set(new Int32Array(buffer, this.#starts, count), firstCell);
    cells.ends.set(new Int32Array(buffer, this.#ends, count), firstCell);
    cells.marks.set(new Uint8Array(buffer, this.#marks, count), firstCell);
  }
}
