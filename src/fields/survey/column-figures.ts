import { AmountEvidence } from "../amount/amount-evidence.ts";
import type { Decimal } from "../amount/amount-sum.ts";
import { DateEvidence } from "../date/date-evidence.ts";
import type { DateSpan } from "../date/date-range.ts";
import type { FillTally } from "./fill-tally.ts";
import type { SettledColumn } from "./settled-fields.ts";

/** The figures of a used column in the rows that give a record. */
export interface ColumnFigures {
  readonly field: string;
  readonly kind: "text" | "digits" | "amount" | "date";
  /** Records in which it has a value. */
  readonly filled: number;
  /** Invalid rows counted. */
  readonly dates?: DateSpan | undefined;
  /** `undefined` too if it was not kept, for an amount of very many decimals. */
  readonly sum?: Decimal | undefined;
}

/** The figures of all used columns, in their order. */
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
