import { cellOf, ESCAPED, type Cell, type Row } from "../../model/row.ts";
import { cellText } from "../cell-text.ts";
import type { NullWords } from "../null-words.ts";
import { LATIN_LETTERS } from "../plain-texts.ts";
import { isBlank, trimSpaces } from "../spaces.ts";

const BACKSLASH = 0x5c;

/** True if a cell of a row is filled; `nulls` are the words that mean "no value". */
export function isFilled(row: Row, column: number, nulls: NullWords | undefined): boolean {
  const { spans, firstCell = 0, width = 0 } = row;
  if (spans === undefined) return holdsText(cellOf(row, column), nulls);
  if (column >= width) return false;
  const start = spans.starts[firstCell + column]!;
  if (start >= spans.ends[firstCell + column]!) return false;
  const first = spans.bytes[start]!;
  // Hardly any cell begins with a space, so for most the first byte is enough, and no text has to be made.
  const isVisible = (first > 0x20 && first < 0x80) || first === LATIN_LETTERS;
  // A pair of quotes is a quote, but a backslash in JSON may stand for a space.
  const isPlain = isVisible && (first !== BACKSLASH || (spans.marks[firstCell + column]! & ESCAPED) === 0);
  if (isPlain && (nulls === undefined || nulls.firstBytes[first] === 0)) return true;
  return holdsText(cellOf(row, column), nulls);
}

/** How many of the first `width` cells of a row are filled. */
export function countFilled(row: Row, width: number, nullsAt: readonly (NullWords | undefined)[]): number {
  let filled = 0;
  if (row.columns !== undefined) {
    for (const column of row.columns) if (isFilled(row, column, nullsAt[column])) filled++;
    return filled;
  }
  const cells = row.spans === undefined ? Math.min(width, row.cells.length) : width;
  for (let column = 0; column < cells; column++) if (isFilled(row, column, nullsAt[column])) filled++;
  return filled;
}

function holdsText(cell: Cell, nulls: NullWords | undefined): boolean {
  if (cell === undefined || cell === null) return false;
  const text = cellText(cell);
  if (text === undefined) return true;
  return !isBlank(text) && nulls?.has(text) !== true && nulls?.has(trimSpaces(text)) !== true;
}
