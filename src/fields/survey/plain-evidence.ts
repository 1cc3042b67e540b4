import type { Cell } from "../../model/row.ts";
import type { Evidence } from "./evidence.ts";
import type { ReadValue, Unreadable } from "../value.ts";

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
