import type { ColumnFigures } from "../../model/column-figures.ts";
import { AmountEvidence } from "../amount/amount-evidence.ts";
import { DateEvidence } from "../date/date-evidence.ts";
import type { FillTally } from "./fill-tally.ts";
import type { SettledColumn } from "./settled-fields.ts";

/** The figures of all used columns, in column order. */
export function columnFigures(settled: readonly SettledColumn[], fills: FillTally): readonly ColumnFigures[] {
  return settled.map(({ watch, spec }, slot) => {
    const about = { field: watch.column.field!, kind: watch.type.kind, filled: fills.count(slot) };
    const evidence = watch.typed?.evidence;
    if (evidence instanceof DateEvidence && spec.kind === "date")
      return { ...about, dates: evidence.range.under(spec.orders) };
    if (evidence instanceof AmountEvidence && spec.kind === "amount")
      return { ...about, sum: evidence.recordSum(spec.marks) };
    return about;
  });
}
