import { BulkTrials } from "../../wasm/bulk-trials.ts";
import { type Area, INT_BYTES, RowsInstance } from "../../wasm/rows-instance.ts";
import type { CsvCells } from "./csv-cells.ts";
import type { CsvGrammar } from "./csv-grammar.ts";

/** From how many bytes on it is worth its while. */
const LEAST_BYTES = 65_536;
/** At most so many rows and cells at once. */
const MOST_ROWS = 4096;
const MOST_CELLS = 32_768;
/** More bytes than these are scanned row by row. */
const MOST_BYTES = 8_388_608;
/** No byte of UTF-8. */
const NO_QUOTE = 0xff;

/** Rows that were found; the array lasts until the next are. */
interface FoundRows {
  /** For each row: the byte after its end, and the number of the cell after its last one. */
  readonly ends: Int32Array;
  readonly count: number;
}

const NO_ROWS: FoundRows = { ends: new Int32Array(0), count: 0 };

/** What all scans of a thread share: one is in memory at a time. */
interface Shared {
  readonly instance: RowsInstance;
  readonly bytes: Area;
  readonly starts: number;
  readonly ends: number;
  readonly marks: number;
  readonly rows: number;
  /** Whose bytes are in memory. */
  owner: CsvCells | undefined;
}

let shared: Shared | undefined;

/** `undefined` where there is no WebAssembly. */
function share(): Shared | undefined {
  const instance = RowsInstance.open();
  if (instance === undefined) return undefined;
  return {
    instance,
    bytes: RowsInstance.area(),
    starts: instance.allocate(MOST_CELLS * INT_BYTES),
    ends: instance.allocate(MOST_CELLS * INT_BYTES),
    marks: instance.allocate(MOST_CELLS),
    rows: instance.allocate(2 * MOST_ROWS * INT_BYTES),
    owner: undefined,
  };
}

/**
 * Finds the cells of many plain rows at once, by WebAssembly: those that `RowScan` finds, which tests prove. A row that is
 * not plain is left to it.
 */
export class BulkScan {
  readonly #delimiter: number;
  readonly #quote: number;
  readonly #maxRowBytes: number;
  readonly #leastBytes: number;
  readonly #trials = new BulkTrials();

  private constructor(delimiter: number, quote: number, maxRowBytes: number, leastBytes: number) {
    this.#leastBytes = leastBytes;
    this.#delimiter = delimiter;
    this.#quote = quote;
    this.#maxRowBytes = Math.min(maxRowBytes, MOST_BYTES);
  }

  /** `undefined` for a grammar of which no row is plain. */
  static of(grammar: CsvGrammar, maxRowBytes: number, leastBytes = LEAST_BYTES): BulkScan | undefined {
    const { delimiter, quote, isBackslashEscape, comment, isSheet } = grammar;
    const isPlain = delimiter.length === 1 && !isBackslashEscape && comment.length === 0 && !isSheet;
    if (!isPlain) return undefined;
    return new BulkScan(delimiter[0]!, quote === -1 ? NO_QUOTE : quote, maxRowBytes, leastBytes);
  }

  /** False for a buffer of a size for which it is not worth its while, or for which there is no memory. */
  canScan(bytes: number): boolean {
    return bytes >= this.#leastBytes && bytes <= MOST_BYTES;
  }

  /** Finds the plain rows from byte `at` on; their cells are numbered from `firstCell`. */
  scan(cells: CsvCells, at: number, firstCell: number, maxRows: number): FoundRows {
    const loaded = this.#trials.isDue() ? this.#load(cells) : undefined;
    if (loaded === undefined) return NO_ROWS;
    const { instance, starts, ends, marks, rows } = loaded;
    const count = instance.exports.scanRows(at, Math.min(maxRows, MOST_ROWS));
    this.#trials.note(count);
    if (count === 0) return NO_ROWS;
    const { buffer } = instance.bytes;
    const found = new Int32Array(buffer, rows, 2 * count);
    const width = found[2 * count - 1]!;
    while (firstCell + width > cells.starts.length) cells.grow();
    cells.starts.set(new Int32Array(buffer, starts, width), firstCell);
    cells.ends.set(new Int32Array(buffer, ends, width), firstCell);
    cells.marks.set(new Uint8Array(buffer, marks, width), firstCell);
    for (let row = 0; row < count; row++) found[2 * row + 1]! += firstCell;
    return { ends: found, count };
  }

  #load(cells: CsvCells): Shared | undefined {
    shared ??= share();
    if (shared === undefined || shared.owner === cells) return shared;
    shared.owner = cells;
    const { instance, bytes, starts, ends, marks, rows } = shared;
    instance.fill(bytes, cells.bytes);
    instance.exports.setContent(
      bytes.at,
      cells.bytes.length,
      this.#delimiter,
      this.#quote,
      this.#maxRowBytes,
    );
    instance.exports.setCells(starts, ends, marks, MOST_CELLS, rows);
    return shared;
  }
}
