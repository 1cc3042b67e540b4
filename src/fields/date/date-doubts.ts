import { spellDate, type PackedDate } from "./calendar.ts";
import { scanDate } from "./date.ts";
import type { DateEvidence } from "./date-evidence.ts";
import { orderFormat, ORDERS } from "./date-order.ts";
import { DateScan } from "./date-scan.ts";
import { USUAL_PIVOT } from "./two-digit-year.ts";
import { showExample, type Example } from "../survey/example.ts";
import { spellType } from "../type-text.ts";
import type { ColumnDoubt, TypedColumn } from "../survey/typed-column.ts";

/** A column of dates with its evidence. */
export interface DateColumn {
  readonly column: TypedColumn;
  readonly evidence: DateEvidence;
}

/** The doubt about a cell that the possible orders read differently, with all its readings. */
export function doubtOrder({ column, evidence }: DateColumn, example: Example, orders: number): ColumnDoubt {
  const scan = new DateScan();
  scan.pivotYear = evidence.pivotYear ?? USUAL_PIVOT;
  scanDate(example.value, scan);
  const readings = new Map<PackedDate, number>();
  for (const order of ORDERS) {
    const date = (order & orders) === 0 ? 0 : scan.under(order);
    if (date !== 0 && !readings.has(date)) readings.set(date, order);
  }
  const text = `${showExample(example)} is ${[...readings.keys()].map(spellDate).join(" or ")}`;
  const options = orderOptions(column, [...readings.values()]);
  return { code: "ambiguous-date", column, line: example.line, text, options };
}

/** The options that each pin one of these orders for the column. */
export function orderOptions({ field, type }: TypedColumn, orders: readonly number[]): readonly string[] {
  return orders.map(
    (order) => `--type ${field}=${spellType({ ...type, kind: "date", format: orderFormat(order) })}`,
  );
}
