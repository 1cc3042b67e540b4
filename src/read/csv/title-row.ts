import type { SampleRow } from "./csv-sample.ts";
import { countFilled, holdsDigit, isDateLike, isNumericLike } from "./csv-words.ts";

/**
 * A title of a header with `names` cells fills at most half as many, and fewer than the sparsest row below, unless its
 * width differs from that of the rows: then it cannot be one of them.
 */
export function isTitle({ cells }: SampleRow, names: number, width: number, sparsest: number): boolean {
  const filled = countFilled(cells);
  const isIndexed = names === 2 && cells.length >= 2 && cells[0]?.trim() === "";
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

/** A label with a date beside it, in a column without dates. */
export function isLabelled({ cells }: SampleRow, body: readonly SampleRow[]): boolean {
  const [label = -1, date = -1, more] = cells.flatMap((cell, column) => (cell.trim() === "" ? [] : [column]));
  if (date === -1 || more !== undefined || holdsDigit(cells[label]!) || !isDateLike(cells[date]!))
    return false;
  return body.length > 0 && !body.some((row) => isDateLike(row.cell(date)));
}

/** Values of the same shape as those below (`F36289` above `F36290`), in two columns: it is a row of the table. */
export function isShapedLikeRows({ cells }: SampleRow, body: readonly SampleRow[]): boolean {
  const alike = cells.filter((cell, column) => {
    const shape = shapeOf(cell);
    return holdsDigit(cell) && body.some((row) => shapeOf(row.cell(column)) === shape);
  });
  return alike.length > 1;
}

function shapeOf(cell: string): string {
  return cell.trim().replaceAll(/\d/g, "0").replaceAll(/\p{L}/gu, "a");
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
