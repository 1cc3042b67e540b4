import type { Row, RowProblem } from "../../model/row.ts";
import { quoteText } from "../../model/visible-text.ts";
import { AmountEvidence } from "../amount/amount-evidence.ts";
import { parseDecimal, scaleUnits } from "../amount/amount-sum.ts";
import { cellText } from "../cell-text.ts";
import { COMMA, DOT, markName } from "../amount/decimal-mark.ts";
import { findLabel, type FooterWatch } from "./footer-watch.ts";
import type { SettledColumn } from "./settled-fields.ts";
import { isBlank } from "../spaces.ts";

/** The problems of the rows at the end that look like totals, by line; without surveyed columns sums are not known. */
export function judgeFooter(
  watch: FooterWatch,
  headers: readonly string[],
  settled: readonly SettledColumn[] = [],
): ReadonlyMap<number, RowProblem> {
  const { rows, blankColumns } = watch.finish((row) => findSum(row, settled) !== undefined);
  return new Map(
    rows.map((row, at) => {
      const label = findLabel(row);
      const why =
        label === undefined
          ? `its ${findSum(row, settled)} is the sum of all rows above`
          : `it begins with ${quoteText(label)}`;
      const empty = quoteText(headers[blankColumns[at]!] ?? "");
      const problem: RowProblem = {
        line: row.line,
        reason: `the row looks like a total: ${why}, and ${empty} is empty in it and in no row before`,
        hint: `--skip-footer ${rows.length} leaves it out, --keep-footer takes it as it is`,
      };
      return [row.line, problem];
    }),
  );
}

/** The field in which the row holds the sum of the rows before it. */
function findSum(row: Row, settled: readonly SettledColumn[]): string | undefined {
  let filled = 0;
  for (const cell of row.cells) if (!isBlank(cellText(cell) ?? "")) filled++;
  const sums = settled.filter((column) => holdsSum(row, column));
  // A single row before it has the same amount for many reasons, unless the last row holds nothing else.
  const isCertain = sums.length === filled || sums.some((column) => countBefore(column) > 1);
  return isCertain ? sums[0]?.watch.column.field : undefined;
}

function holdsSum({ line, cells }: Row, column: SettledColumn): boolean {
  const { watch, settled, examined } = column;
  const evidence = watch.typed?.evidence;
  const cell = cells[examined.index];
  if (!(evidence instanceof AmountEvidence) || isBlank(cellText(cell) ?? "")) return false;
  const amount = examined.take(cell, line);
  const total = evidence.sum.total(settled?.format === markName(COMMA) ? COMMA : DOT);
  if (typeof amount !== "string" || total === undefined || countBefore(column) < 1) return false;
  const value = parseDecimal(amount);
  const decimals = Math.max(value.decimals, total.decimals);
  // The total counts the row itself too.
  return value.units !== 0n && 2n * scaleUnits(value, decimals) === scaleUnits(total, decimals);
}

function countBefore({ watch }: SettledColumn): number {
  const evidence = watch.typed?.evidence;
  return evidence instanceof AmountEvidence ? evidence.sum.count - 1 : 0;
}
