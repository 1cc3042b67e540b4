import type { JsonCells } from "./json-cells.ts";

/** A row that was found in one go, as stretches of bytes. */
export interface ScannedRow {
  readonly cells: JsonCells;
  /** Number of the row's first cell, and how many cells it has. */
  readonly firstCell: number;
  readonly width: number;
  /** Index after the row's closing brace. */
  readonly end: number;
  /** Number of line ends in the row, and the index of the last one. */
  readonly lines: number;
  readonly lastLineEnd: number;
}
