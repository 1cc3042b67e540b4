import { BulkTrials } from "../../wasm/bulk-trials.ts";
import { ScanMemory } from "../../wasm/scan-memory.ts";
import type { CsvCells } from "./csv-cells.ts";
import type { CsvGrammar } from "./csv-grammar.ts";

/** No byte of UTF-8. */
const NO_QUOTE = 0xff;
/** The byte after its end, and the number of its cells and those before. */
const ROW_NUMBERS = 2;

/** Rows that were found; the array lasts until the next are. */
interface FoundRows {
  /** For each row: the byte after its end, and the number of the cell after its last one. */
  readonly ends: Int32Array;
  readonly count: number;
}

const NO_ROWS: FoundRows = { ends: new Int32Array(0), count: 0 };

/**
 * Finds the cells of many plain rows at once, by WebAssembly: those that `RowScan` finds, which tests prove. A row that is
 * not plain is left to it.
 */
export class BulkScan {
  readonly #delimiter: number;
  readonly #quote: number;
  readonly #maxRowBytes: number;
  readonly #leastBytes: number | undefined;
  readonly #trials = new BulkTrials();

  private constructor({ delimiter, quote }: CsvGrammar, maxRowBytes: number, leastBytes: number | undefined) {
    this.#leastBytes = leastBytes;
    this.#delimiter = delimiter[0]!;
    this.#quote = quote === -1 ? NO_QUOTE : quote;
    this.#maxRowBytes = maxRowBytes;
  }

  /** `undefined` for a grammar of which no row is plain. */
  static of(grammar: CsvGrammar, maxRowBytes: number, leastBytes?: number): BulkScan | undefined {
    const { delimiter, isBackslashEscape, comment, isSheet } = grammar;
    const isPlain = delimiter.length === 1 && !isBackslashEscape && comment.length === 0 && !isSheet;
    return isPlain ? new BulkScan(grammar, maxRowBytes, leastBytes) : undefined;
  }

  /** False for a buffer of a size for which it is not worth its while, or for which there is no memory. */
  canScan(bytes: number): boolean {
    return ScanMemory.canHold(bytes, this.#leastBytes);
  }

  /** Finds the plain rows from byte `at` on; their cells are numbered from `firstCell`. */
  scan(cells: CsvCells, at: number, firstCell: number, maxRows: number): FoundRows {
    const memory = this.#trials.isDue() ? ScanMemory.open() : undefined;
    if (memory === undefined) return NO_ROWS;
    const { exports } = memory.instance;
    if (memory.load(cells, this.#maxRowBytes)) exports.setDialect(this.#delimiter, this.#quote);
    const count = exports.scanRows(at, ScanMemory.atMost(maxRows));
    this.#trials.note(count);
    if (count === 0) return NO_ROWS;
    const ends = memory.rows(count, ROW_NUMBERS);
    memory.copy(ends[ROW_NUMBERS * count - 1]!, cells, firstCell);
    for (let row = 0; row < count; row++) ends[ROW_NUMBERS * row + 1]! += firstCell;
    return { ends, count };
  }
}
