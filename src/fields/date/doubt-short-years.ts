import { spellDate } from "./calendar.ts";
import { doubtOrder, type DateColumn } from "./date-doubts.ts";
import { DMY, MDY, YMD } from "./date-order.ts";
import { hasOther, horizonOf, type FileDates } from "./file-dates.ts";
import type { DatedCell } from "./short-years.ts";
import { spellPivot, USUAL_PIVOT } from "./two-digit-year.ts";
import { showExample, type Example } from "../survey/example.ts";
import { spellType } from "../type-text.ts";
import type { ColumnDoubt } from "../survey/typed-column.ts";

const CENTURY = 1_000_000;

/**
 * Finds what is still open about two-digit years after the order is settled: whether they come first after all, or the
 * century of dates far ahead. Options that pin the order or the pivot year answer it.
 */
export function doubtShortYears(dates: DateColumn, orders: number, file: FileDates): ColumnDoubt | undefined {
  const { evidence } = dates;
  const open = findYearFirst(dates, orders, file);
  if (open !== undefined) return doubtOrder(dates, open.example, open.order | YMD);
  if (evidence.pivotYear !== undefined) return undefined;
  // If no order is left, as with serials, all dates read so far need none.
  const ahead = evidence.shortYears.firstAfter(horizonOf(dates, file.today), orders === 0 ? DMY : orders);
  return ahead === undefined ? undefined : doubtCentury(dates, ahead, file);
}

/** The first cell whose year may come first, and the order that reads it differently. */
export function findYearFirst(
  dates: DateColumn,
  orders: number,
  file: FileDates,
): { readonly example: Example; readonly order: number } | undefined {
  const { pinned, yearFirst } = dates.evidence;
  if (pinned !== undefined || hasOther(file.yearLast, dates)) return undefined;
  for (const order of [DMY, MDY]) {
    const example =
      (order & orders) === 0 ? undefined : yearFirst.openAgainst(order, horizonOf(dates, file.today));
    if (example !== undefined) return { example, order };
  }
  return undefined;
}

function doubtCentury(dates: DateColumn, ahead: DatedCell, file: FileDates): ColumnDoubt {
  const { column } = dates;
  const before = ahead.date - CENTURY;
  const text = `${showExample(ahead)} is ${spellDate(before)} or ${spellDate(ahead.date)}`;
  const isAlone = !hasOther(file.shortYears, dates);
  const options = [Math.trunc(before / 10_000), USUAL_PIVOT].map((pivotYear) =>
    isAlone
      ? `--pivot-year ${spellPivot(pivotYear)}`
      : `--type ${column.field}=${spellType({ ...column.type, kind: "date", pivotYear })}`,
  );
  return { code: "open-century", column, line: ahead.line, text, options };
}
