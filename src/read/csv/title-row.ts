import type { SampleRow } from "./csv-sample.ts";
import { countFilled, holdsDigit, isDateLike, isNumericLike } from "./csv-words.ts";

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

/** Values of the same shape as those below (`F36289` above `F36290`), in two columns: it is a row of the table. */
export function isShapedLikeRows({ cells }: SampleRow, body: readonly SampleRow[]): boolean {
  const alike = cells.filter((cell, column) => {
    const shape = shapeOf(cell);
    return holdsDigit(cell) && body.some((row) => shapeOf(row.cell(column)) === shape);
  });
  return alike.length > 1;
}

/**
 * Fills the same cells as a row below, with numbers in the same ones (`FX;9999` above `FA;10`): it is a row of the
 * table. A row that begins with a word among keys with digits, as totals do, does not count.
 */
export function isFilledLikeRows({ cells }: SampleRow, body: readonly SampleRow[]): boolean {
  const kinds = kindsOf(cells);
  if (countFilled(cells) < 2 || !kinds.includes("number")) return false;
  const keys = body.map((row) => row.cell(0)).filter((key) => key.trim() !== "");
  const areWords = 2 * keys.filter(holdsDigit).length < keys.length;
  return body.some((row) => (areWords || holdsDigit(row.cell(0))) && kindsOf(row.cells) === kinds);
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

/** Words alone in a row, in a column in which all of several values contain digits and none has words like them. */
export function isProse({ cells }: Pick<SampleRow, "cells">, body: readonly SampleRow[]): boolean {
  const column = cells.findIndex((cell) => cell.trim() !== "");
  if (column === -1 || countFilled(cells) > 1 || !hasWords(cells[column]!)) return false;
  const values = body.map((row) => row.cell(column)).filter((cell) => cell.trim() !== "");
  return values.length > 1 && values.every((value) => holdsDigit(value) && !hasWords(value));
}

/** A row that fills fewer cells than all rows below, and begins with words where those have numbers. */
export function isWordAbove({ cells }: SampleRow, body: readonly SampleRow[], sparsest: number): boolean {
  const alone = cells.map((cell, column) => (column === 0 ? cell : ""));
  return countFilled(cells) < sparsest && isProse({ cells: alone }, body);
}

/** A word without a digit, or several words. */
function hasWords(cell: string): boolean {
  return !holdsDigit(cell) || /\p{L}{2,}\s+(?:\S+\s+)*\p{L}{2,}/u.test(cell);
}
