import type { CellSpans, Row, RowList } from "../../src/model/rows.ts";

/** Rows that were made one by one. */
export class MadeRows implements RowList {
  readonly #rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  get length(): number {
    return this.#rows.length;
  }

  row(index: number): Row {
    return this.#rows[index]!;
  }

  line(index: number): number {
    return this.#rows[index]!.line;
  }

  start(index: number): number {
    return this.#rows[index]!.start;
  }

  end(index: number): number {
    return this.#rows[index]!.end;
  }

  spans(index: number): CellSpans | undefined {
    return this.#rows[index]!.spans;
  }

  firstCell(index: number): number {
    return this.#rows[index]!.firstCell ?? 0;
  }

  width(index: number): number {
    return this.#rows[index]!.width ?? 0;
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.#rows[Symbol.iterator]();
  }
}
