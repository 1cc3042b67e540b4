import { cellOf, ESCAPED, NO_TEXT, type Row } from "../../model/row.ts";
import type { AmountScan } from "../amount/amount-scan.ts";
import type { PlainTexts } from "../plain-texts.ts";
import { scanAmountCell } from "../amount/amount.ts";
import { isRemark } from "./remark.ts";
import { isFilled } from "./row-fill.ts";
import { holdsLetters, textAt } from "./row-text.ts";
import type { WatchedColumns } from "./watched-columns.ts";

/** The columns in which a row has a value. */
export function filledColumns({ width, nullsAt }: WatchedColumns, row: Row): readonly number[] {
  return Array.from({ length: width }, (_, column) => column).filter((column) =>
    isFilled(row, column, nullsAt[column]),
  );
}

/** True for a row with something to send. */
export function hasSent({ sent, nullsAt }: WatchedColumns, row: Row): boolean {
  for (const column of sent) if (isFilled(row, column, nullsAt[column])) return true;
  return false;
}

/** True for a row with a date and digits: a total never has both. */
export function hasOwnData({ dates, digits, nullsAt }: WatchedColumns, row: Row): boolean {
  const holds = (column: number): boolean => isFilled(row, column, nullsAt[column]);
  return dates.some(holds) && digits.some(holds);
}

/** The first column of a row that holds words and not an amount; `filled` are the row's filled columns. */
export function findFirstText(
  { width, nullsAt }: WatchedColumns,
  row: Row,
  filled: number,
  scan: AmountScan,
  texts: PlainTexts,
): number | undefined {
  let seen = 0;
  for (let column = 0; column < width && seen < filled; column++) {
    if (!isFilled(row, column, nullsAt[column])) continue;
    seen++;
    if (isPlainText(row, column, texts)) return column;
    const text = textAt(row, column);
    if ((holdsLetters(text) || isRemark(text)) && !reads(row, column, scan)) return column;
  }
  return undefined;
}

/** True for a cell whose bytes show that it begins with a letter and is no amount. */
function isPlainText({ spans, firstCell = 0 }: Row, column: number, texts: PlainTexts): boolean {
  const cell = firstCell + column;
  if (spans === undefined || (spans.marks[cell]! & (ESCAPED | NO_TEXT)) !== 0) return false;
  return texts.has(spans.bytes, spans.starts[cell]!, spans.ends[cell]!);
}

/** True for an amount. A number in a column of digits or dates is not one. */
export function isAmount(
  { dates, digits }: WatchedColumns,
  row: Row,
  column: number,
  scan: AmountScan,
): boolean {
  return !dates.includes(column) && !digits.includes(column) && reads(row, column, scan);
}

/** True if a cell can be read as an amount, which is then in `scan`. */
export function reads(row: Row, column: number, scan: AmountScan): boolean {
  return scanAmountCell(cellOf(row, column), scan) === undefined;
}
