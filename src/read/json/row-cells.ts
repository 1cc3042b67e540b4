import type { Cell, Row } from "../../model/row.ts";

/**
 * A row may omit this many columns, plus one for each of its cells; beyond that, the columns of its cells are listed.
 */
const MOST_LEFT_OUT = 64;

/** A cell and its column. */
interface PlacedCell {
  readonly column: number;
  readonly cell: Cell;
}

/** Collects the cells of one row after another, whatever their columns, in memory for the cells alone. */
export class RowCells {
  /** By column. */
  #cells: Cell[] = [];
  /** Cells whose columns are too far beyond the others. */
  #far: PlacedCell[] = [];
  #count = 0;

  /** Adds a cell; a row has at most one in each column. */
  put(column: number, cell: Cell): void {
    this.#count++;
    // Most rows have the same members in the same order.
    if (column === this.#cells.length) this.#cells.push(cell);
    else if (this.#isFar(column)) this.#far.push({ column, cell });
    else this.#set(column, cell);
  }

  /** Returns the cells of the row, and forgets them. */
  take(): Pick<Row, "cells" | "columns"> {
    const row = this.#far.length === 0 ? { cells: this.#cells } : this.#withFar();
    this.#cells = [];
    this.#count = 0;
    return row;
  }

  #withFar(): Pick<Row, "cells" | "columns"> {
    const far = this.#far;
    this.#far = [];
    if (far.some(({ column }) => this.#isFar(column))) return listCells(this.#cells, far);
    for (const { column, cell } of far) this.#set(column, cell);
    return { cells: this.#cells };
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
