import type { Cell } from "../../model/row.ts";
import type { Unreadable } from "../value.ts";

/** Evidence from a column about its format, in bounded memory. The result does not depend on the order of the cells. */
export interface Evidence {
  /** Adds one cell that is not blank; returns why it can never be read, whatever the format, else `undefined`. */
  add(cell: Cell, line: number): Unreadable | undefined;
}
