import type { CellWriter } from "./cell-writer.ts";

/** Keeps the lines that are written at the numbers of their rows. */
export class RowLines {
  readonly #writer: CellWriter;
  /** Of the row that was written last. */
  #last = 0;

  constructor(writer: CellWriter) {
    this.#writer = writer;
  }

  /** The rows between the last one and this are blank: as a spreadsheet's CSV has it the first of them has cells. */
  beforeCell(row: number): void {
    if (this.#writer.width > 0 || this.#last >= row - 1) return;
    for (let line = this.#last + 1; line < row; line++) {
      if (line === this.#last + 1 && line > 1) this.#writer.blankRow();
      else this.#writer.emptyRow();
    }
    this.#last = row - 1;
  }

  endRow(row: number): void {
    this.#writer.endRow();
    this.#last = row;
  }
}
