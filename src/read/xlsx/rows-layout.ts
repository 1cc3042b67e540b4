import type { MergedCells } from "./merged-cells.ts";
import type { SharedStrings } from "./shared-strings.ts";

/** Where the texts of cells come from. */
export type Strings = Pick<SharedStrings, "count" | "find" | "write">;

/** What is known of the rows before they are read. */
export interface RowsLayout {
  readonly strings: Strings;
  readonly merged: MergedCells;
  readonly maxRowBytes: number;
}
