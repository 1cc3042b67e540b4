import { countFilled, holdsDigit, isDateLike, isNumericLike, type SampleRow } from "./csv-quote.ts";

/**
 * A title of a header with `names` cells fills at most half as many, and fewer than the sparsest row below, unless its
 * width differs from that of the rows: then it cannot be one of them.
 */
export function isTitle({ cells }: SampleRow, names: number, width: number, sparsest: number): boolean {
  const filled = countFilled(cells);
  const isIndexed = names === 2 && filled > 0 && cells.length >= 2 && cells[0]?.trim() === "";
  return (
    names > 1 &&
    filled <= names / 2 &&
    !isIndexed &&
    !isFigures(cells) &&
    (filled < sparsest || cells.length !== width)
  );
}

/** Only numbers, in several cells or away from the margin: not a title, but the values of a sparse row. */
function isFigures(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== "");
  const isAlone = filled.length === 1 && (cells[0]!.trim() !== "" || isDateLike(filled[0]!));
  return !isAlone && filled.length > 0 && filled.every(isNumericLike);
}

/** A label with a date beside it, or with several (`Période;01/07/2016;31/07/2016`), in columns without dates. */
export function isLabelled({ cells }: SampleRow, body: readonly SampleRow[]): boolean {
  const [label = -1, ...dates] = cells.flatMap((cell, column) => (cell.trim() === "" ? [] : [column]));
  if (dates.length === 0 || holdsDigit(cells[label]!)) return false;
  if (!dates.every((column) => isDateLike(cells[column]!))) return false;
  const values = body.flatMap((row) => dates.map((column) => row.cell(column)));
  // Several dates may be a row's, unless their columns hold something else.
  const isFilled = dates.length === 1 ? body.length > 0 : values.some((value) => value.trim() !== "");
  return isFilled && !values.some(isDateLike);
}

/**
 * Tells rows above a header from titles by the rows below it. What those hold is gathered once and by column: a sample has as
 * many lines above a header found by chance as below it.
 */
export class RowsBelow {
  readonly #rows: readonly SampleRow[];
  readonly #columns = new Map<number, readonly string[]>();
  readonly #shapes = new Map<number, ReadonlySet<string>>();
  #kinds: ReadonlySet<string> | undefined;

  constructor(rows: readonly SampleRow[]) {
    this.#rows = rows;
  }

  /** Values of the same shape as those below (`F36289` above `F36290`), in two columns: it is a row of the table. */
  areShapedLike({ cells }: SampleRow): boolean {
    const held = cells.flatMap((cell, column) => (holdsDigit(cell) ? column : []));
    if (held.length < 2) return false;
    return held.filter((column) => this.#shapesIn(column).has(shapeOf(cells[column]!))).length > 1;
  }

  /**
   * Fills the same cells as a row below, with numbers in the same ones (`FX;9999` above `FA;10`): it is a row of the
   * table. A row that begins with a word among keys with digits, as totals do, does not count.
   */
  areFilledLike({ cells }: SampleRow): boolean {
    const kinds = kindsOf(cells);
    return countFilled(cells) > 1 && kinds.includes("number") && this.#kindsOfRows().has(kinds);
  }

  /** Words alone in a row, in a column in which all of several values contain digits and none has words like them. */
  isProseAbove({ cells }: Pick<SampleRow, "cells">): boolean {
    const column = cells.findIndex((cell) => cell.trim() !== "");
    if (column === -1 || countFilled(cells) > 1 || !hasWords(cells[column]!)) return false;
    const values = this.#valuesIn(column);
    return values.length > 1 && values.every((value) => holdsDigit(value) && !hasWords(value));
  }

  /** The values of a column, blank ones left out. */
  #valuesIn(column: number): readonly string[] {
    const known = this.#columns.get(column);
    if (known !== undefined) return known;
    const values = this.#rows.map((row) => row.cell(column)).filter((cell) => cell.trim() !== "");
    this.#columns.set(column, values);
    return values;
  }

  #shapesIn(column: number): ReadonlySet<string> {
    const known = this.#shapes.get(column);
    if (known !== undefined) return known;
    const shapes = new Set(this.#valuesIn(column).map(shapeOf));
    this.#shapes.set(column, shapes);
    return shapes;
  }

  #kindsOfRows(): ReadonlySet<string> {
    if (this.#kinds === undefined) {
      const keys = this.#valuesIn(0);
      const areWords = 2 * keys.filter(holdsDigit).length < keys.length;
      const rows = this.#rows.filter((row) => areWords || holdsDigit(row.cell(0)));
      this.#kinds = new Set(rows.map(({ cells }) => kindsOf(cells)));
    }
    return this.#kinds;
  }
}

function shapeOf(cell: string): string {
  return cell.trim().replaceAll(/\d/g, "0").replaceAll(/\p{L}/gu, "a");
}

/** What each cell of a row holds. */
function kindsOf(cells: readonly string[]): string {
  const kinds = cells.map((cell) => {
    if (cell.trim() === "") return "blank";
    if (isDateLike(cell)) return "date";
    return isNumericLike(cell) ? "number" : "word";
  });
  return kinds.join(" ");
}

/** A row that fills fewer cells than all rows below, and begins with words where those have numbers. */
export function isWordAbove({ cells }: SampleRow, body: readonly SampleRow[], sparsest: number): boolean {
  const alone = cells.map((cell, column) => (column === 0 ? cell : ""));
  return countFilled(cells) < sparsest && new RowsBelow(body).isProseAbove({ cells: alone });
}

/** A word without a digit, or several words. */
function hasWords(cell: string): boolean {
  return !holdsDigit(cell) || /\p{L}{2,}\s+(?:\S+\s+)*\p{L}{2,}/u.test(cell);
}
