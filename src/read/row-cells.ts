import type { Cell, Row } from "../model/row.ts";

/** A row may leave so many columns out, and as many again as it has cells: else the columns of its cells are listed. */
const MOST_LEFT_OUT = 64;

/** A cell and its column. */
interface PlacedCell {
  readonly column: number;
  readonly cell: Cell;
}

/** Gathers the cells of one row after the other, whichever columns they are of, in room for the cells alone. */
export class RowCells {
  /** By column. */
  #cells: Cell[] = [];
  /** Those too far behind the others. */
  #far: PlacedCell[] = [];
  #count = 0;

  /** Takes a cell; a row has one at most in each column. */
  put(column: number, cell: Cell): void {
    this.#count++;
    if (this.#isFar(column)) this.#far.push({ column, cell });
    else this.#set(column, cell);
  }

  /** The cells of the row, which is then forgotten. */
  take(): Pick<Row, "cells" | "columns"> {
    const far = this.#far;
    const isListed = far.some(({ column }) => this.#isFar(column));
    if (!isListed) for (const { column, cell } of far) this.#set(column, cell);
    const row = isListed ? listCells(this.#cells, far) : { cells: this.#cells };
    this.#cells = [];
    if (far.length > 0) this.#far = [];
    this.#count = 0;
    return row;
  }

  #isFar(column: number): boolean {
    return column > 2 * this.#count + MOST_LEFT_OUT;
  }

  #set(column: number, cell: Cell): void {
    while (this.#cells.length < column) this.#cells.push(undefined);
    this.#cells[column] = cell;
  }
}

function listCells(
  cells: readonly Cell[],
  far: readonly PlacedCell[],
): Required<Pick<Row, "cells" | "columns">> {
  const near = cells.flatMap((cell, column): PlacedCell[] => (cell === undefined ? [] : [{ column, cell }]));
  const all = near.concat(far).sort((left, right) => left.column - right.column);
  return { cells: all.map(({ cell }) => cell), columns: all.map(({ column }) => column) };
}
