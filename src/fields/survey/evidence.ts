import type { Cell } from "../../model/row.ts";
import type { Unreadable } from "../value.ts";

/** Evidence of a column about its format, in bounded memory. Its result does not depend on the order of the cells. */
export interface Evidence {
  /** Adds one cell that is not blank; says why it can never be read, whatever the format, else `undefined`. */
  add(cell: Cell, line: number): Unreadable | undefined;
}
