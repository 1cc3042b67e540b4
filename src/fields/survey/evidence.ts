import type { Cell } from "../../model/row.ts";
import type { Unreadable } from "../value.ts";

/** What a column shows about its format, in bounded room. What comes of it does not depend on the order of the cells. */
export interface Evidence {
  /** Adds one cell that is not blank; says why it can never be read, whatever the format, else `undefined`. */
  add(cell: Cell, line: number): Unreadable | undefined;
}
