import type { Cell } from "../../model/row.ts";
import type { Evidence } from "./evidence.ts";
import type { ReadValue, Unreadable } from "../value.ts";

/** For types in which nothing is to be settled: it finds the cells that cannot be read and keeps nothing. */
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
