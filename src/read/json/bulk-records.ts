import { BulkTrials } from "../../wasm/bulk-trials.ts";
import { ScanMemory } from "../../wasm/scan-memory.ts";
import type { JsonCells } from "./json-cells.ts";
import { PlacedShapes } from "./placed-shapes.ts";
import type { RowShapes } from "./row-shapes.ts";

/** The byte of its brace, the one after its end, and the line feeds before it. */
export const RECORD_NUMBERS = 3;

/** What is known of records before their values are found. */
export interface RecordRules {
  /** How many columns they have. */
  readonly width: number;
  /** At most so many are found. */
  readonly maxRows: number;
  readonly maxRowBytes: number;
  /** True if there are commas between them. */
  readonly areListed: boolean;
}

/** Records that were found one after another. */
export interface FoundRecords {
  readonly count: number;
  /** Three for each, as `assembly/scan-records.ts` writes them; they last until the next are found. */
  readonly numbers: Int32Array;
  /** Line feeds from the first record to the end of the last one, and where the last of them is. */
  readonly lines: number;
  readonly lastLineEnd: number;
}

/** All scans of a thread share their memory. */
const placed = new PlacedShapes();

/**
 * Finds the values of many records at once, by WebAssembly: those that `AlikeRows` finds one by one, which tests prove. A
 * record with an object, an array or an exponent in it, or built like no earlier one, is left to it.
 */
export class BulkRecords {
  readonly #leastBytes: number | undefined;
  readonly #trials = new BulkTrials();

  /** `leastBytes`: of shorter contents each record is found by itself. */
  constructor(leastBytes?: number) {
    this.#leastBytes = leastBytes;
  }

  /** Finds the records from the brace at `at` on; `undefined` if the first one is left. Their cells are numbered from `firstCell`. */
  find(
    cells: JsonCells,
    at: number,
    firstCell: number,
    shapes: RowShapes,
    rules: RecordRules,
  ): FoundRecords | undefined {
    if (!ScanMemory.canHold(cells.bytes.length, this.#leastBytes) || !this.#trials.isDue()) return undefined;
    const memory = ScanMemory.open();
    if (memory === undefined) return undefined;
    const { exports } = memory.instance;
    const { width, maxRows, maxRowBytes, areListed } = rules;
    memory.load(cells, maxRowBytes);
    exports.setShapes(placed.place(memory.instance, shapes), width, areListed ? 1 : 0);
    const count = exports.scanRecords(at, ScanMemory.atMost(maxRows));
    this.#trials.note(count);
    if (count === 0) return undefined;
    memory.copy(count * width, cells, firstCell);
    const { lines, lastLineEnd } = exports;
    return {
      count,
      numbers: memory.rows(count, RECORD_NUMBERS),
      lines: lines.value,
      lastLineEnd: lastLineEnd.value,
    };
  }
}
