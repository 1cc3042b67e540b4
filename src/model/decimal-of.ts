import type { ColumnReport, SurveyReport } from "./event.ts";

/** The one decimal mark that all amounts settled on; `undefined` for several, or if a column shows none. */
export function decimalOf(columns: readonly ColumnReport[]): "," | "." | undefined {
  const marks = new Set(columns.flatMap(({ type, format }) => (type === "amount" ? [format] : [])));
  const [only] = marks;
  return only === undefined || marks.size > 1 ? undefined : markOf(only);
}

/** The mark of the amounts in a rejects file: the numbers of a workbook have a point there unless its texts settled on a comma. */
export function mendedDecimal({ reading: { format }, columns }: SurveyReport): "," | "." | undefined {
  const settled = columns.some(({ type, format: mark }) => type === "amount" && mark !== undefined);
  const isOwn = format === "xlsx" && !settled && columns.some(({ type }) => type === "amount");
  return isOwn ? "." : decimalOf(columns);
}

/** The decimal mark of an amount's format. */
export function markOf(format: string): "," | "." {
  return format === "decimal comma" ? "," : ".";
}
