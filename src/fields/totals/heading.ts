import { cellOf, type Row } from "../../model/row.ts";
import type { AmountScan } from "../amount/amount-scan.ts";
import { quoteText } from "../../model/visible-text.ts";
import type { RowsSoFar } from "./rows-so-far.ts";
import { isLikelyRemark, isRemark } from "./remark.ts";
import { holdsLetters, textAt } from "./row-text.ts";
import { filledColumns, reads } from "./watched-cells.ts";
import type { WatchedColumns } from "./watched-columns.ts";

/** The most cells of a heading or a footer: the code and the name of a group, a text and a page number. */
const MOST_CELLS = 2;
/** The fewest cells that the other rows fill: with less, a row of names is nothing unusual. */
const ROW_CELLS = 3;

/**
 * The words of a row that names a group, a page, a file or a signer: one or two cells, without the date that all rows so far have, and
 * without an amount; a single cell may lack an amount only. Above all rows it is enough that the row has such a cell, and it is blank.
 */
export function findHeading(
  columns: WatchedColumns,
  rows: RowsSoFar,
  row: Row,
  filled: number,
  scan: AmountScan,
): string | undefined {
  if (filled > MOST_CELLS || rows.least < ROW_CELLS) return undefined;
  const { dates, digits } = columns;
  const amounts = columns.amounts.filter(({ evidence }) => evidence.marks !== 0).map(({ index }) => index);
  const needed = filled === 1 ? [...dates, ...amounts] : dates;
  // A member that a JSON record does not have is no blank cell: records of few members are nothing unusual.
  const own = row.record === undefined ? needed : needed.filter((column) => hasCell(row, column));
  const isLacking =
    rows.count === 0 ? isWideWith(columns, row, filled, needed) : rows.leavesBlank(row, own, columns);
  if (!isLacking) return undefined;
  const cells = filledColumns(columns, row);
  const typed = new Set([...dates, ...digits, ...amounts]);
  const isWords = (column: number): boolean => holdsLetters(textAt(row, column)) && !reads(row, column, scan);
  // A number is the code of a group where words follow it, and the quantity of an article where they come before.
  if (!isWords(cells.at(-1)!) || cells.some((column) => typed.has(column) && !isWords(column)))
    return undefined;
  return cells.map((column) => quoteText(textAt(row, column), 60)).join(" and ");
}

/** Whether a row has blank cells, and one in the columns `needed`. */
function isWideWith({ width }: WatchedColumns, row: Row, filled: number, needed: readonly number[]): boolean {
  const cells = Array.from({ length: width }, (_, column) => column).filter((column) => hasCell(row, column));
  return cells.length >= filled + ROW_CELLS - 1 && needed.some((column) => hasCell(row, column));
}

function hasCell(row: Row, column: number): boolean {
  return cellOf(row, column) !== undefined;
}

/** True for a remark by its own words, alone in its row, unless it may be a name as those alone in rows above. */
export function isLoneRemark({ width }: WatchedColumns, rows: RowsSoFar, row: Row, column: number): boolean {
  const isList = rows.count === 0 ? width === 1 : rows.cells === rows.count;
  if (isList) return false;
  const text = textAt(row, column);
  return isRemark(text) || (rows.count > 0 && rows.least > 1 && isLikelyRemark(text));
}
