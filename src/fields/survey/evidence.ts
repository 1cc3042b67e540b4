import type { Cell } from "../../model/row.ts";
import type { Unreadable } from "../value.ts";

/**
 * What a column shows about its format, in bounded room. What comes of it depends neither on the order of the cells
 * nor on how they were shared out between accumulators.
 */
export interface Evidence {
  /** Adds one cell that is not blank; says why it can never be read, whatever the format, else `undefined`. */
  add(cell: Cell, line: number): Unreadable | undefined;
  /** Takes over what another accumulator of the same column saw. */
  merge(other: Evidence): void;
}
