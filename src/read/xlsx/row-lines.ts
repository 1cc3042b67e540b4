import type { CellWriter } from "./cell-writer.ts";
import type { MergedHeader } from "./merged-header.ts";

/** Keeps the lines that are written at the numbers of their rows, and writes a header of merged cells in place of its rows. */
export class RowLines {
  readonly #writer: CellWriter;
  /** Of the row that was written last. */
  #last = 0;
  readonly #header: MergedHeader | undefined;
  #isWritten = false;

  constructor(writer: CellWriter, header: MergedHeader | undefined) {
    this.#writer = writer;
    this.#header = header;
  }

  /** To be called before a row is read. */
  beforeRow(row: number): void {
    if (this.#header === undefined || this.#isWritten || row < this.#header.bottom) return;
    this.#isWritten = true;
    this.beforeCell(this.#header.bottom);
    for (const [column, name] of this.#header.names.entries()) {
      if (name === "") continue;
      this.#writer.beginCell(column);
      this.#writer.text(name);
    }
    this.#writer.endRow();
    this.#last = this.#header.bottom;
  }

  /** True for a row whose cells are in the header. */
  isOfHeader(row: number): boolean {
    return this.#header !== undefined && row >= this.#header.top && row <= this.#header.bottom;
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
