import type { Row } from "../../model/row.ts";
import type { AmountScan } from "../amount/amount-scan.ts";
import { textAt } from "./row-text.ts";
import { isBalancePhrase } from "./total-phrase.ts";
import { filledColumns, isAmount } from "./watched-cells.ts";
import type { WatchedColumns } from "./watched-columns.ts";

/**
 * Whether a row holds nothing but a balance, named in the column `label`: amounts behind it, its dates and at most a
 * currency. An entry of an account has that before it.
 */
export function isBalance(columns: WatchedColumns, row: Row, label: number, scan: AmountScan): boolean {
  if (label === columns.key || !isBalancePhrase(textAt(row, label))) return false;
  return filledColumns(columns, row).every(
    (column) =>
      column === label ||
      columns.dates.includes(column) ||
      (column > label && isAmount(columns, row, column, scan)) ||
      /^(?:\p{Lu}{3}|\p{Sc})$/u.test(textAt(row, column)),
  );
}
