import type { Cell } from "../../model/problem-groups.ts";
import type { ReadValue, Unreadable } from "../type-text.ts";

/** For types whose format need not be settled: it only finds the cells that cannot be read. */
export class PlainEvidence implements Evidence {
  readonly #read: ReadValue;

  constructor(read: ReadValue) {
    this.#read = read;
  }

  add(cell: Cell): Unreadable | undefined {
    const value = this.#read(cell);
    return typeof value === "string" ? undefined : value;
  }
}

/** Evidence from a column about its format, in bounded memory. The result does not depend on the order of the cells. */
export interface Evidence {
  /** Adds one cell that is not blank; returns why it can never be read, whatever the format, else `undefined`. */
  add(cell: Cell, line: number): Unreadable | undefined;
}
