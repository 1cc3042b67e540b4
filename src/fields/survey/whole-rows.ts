import type { Row } from "../../model/row.ts";
import { showCell } from "../cell-text.ts";
import { KeyTally } from "./key-tally.ts";

/** Counts the rows that equal an earlier one in all cells. */
export class WholeRows {
  readonly #tally = new KeyTally();

  get repeated(): number {
    return this.#tally.repeated;
  }

  add({ cells, columns = [] }: Row): void {
    const texts = cells.map((cell) => (cell === undefined ? "" : showCell(cell)));
    this.#tally.add([...columns, ...texts].join("\0"));
  }
}
