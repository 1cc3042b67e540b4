import type { ColumnReport } from "../../model/counts.ts";
import type { Pin } from "../../model/reading.ts";
import { COMMA } from "../amount/amount.ts";
import type { PlannedColumn } from "../columns/column-faults.ts";
import type { FieldOptions } from "../field-options.ts";
import type { ExaminedField } from "../record/examine-row.ts";
import { showCell } from "../spreadsheet-text.ts";
import { type FieldType, isDateFormat, spellType } from "../type-text.ts";
import type { SettledColumn } from "./surveyed-columns.ts";

/** The options that fix what values settled, one a column, so that the next file of this kind is read in the same way. */
export function inferredPins(
  settled: readonly SettledColumn[],
  { otherTypes }: Pick<FieldOptions, "otherTypes">,
): Pin[] {
  return settled.flatMap(({ field, type, format: { format, spec, inferred, settledBy } }): Pin[] => {
    const isInferred = inferred === true;
    if (!isInferred && otherTypes?.has(field) !== true) return [];
    const settledType: FieldType =
      type.kind === "date" && isDateFormat(format)
        ? { ...type, format }
        : spec.kind === "amount" && isInferred
          ? { kind: "amount", decimal: spec.marks === COMMA ? "," : "." }
          : type;
    const because = isInferred
      ? `${field} is settled by ${settledBy ?? "its values"}`
      : `most values of ${field} read as ${type.kind}s`;
    return [{ what: "type", option: `--type ${field}=${spellType(settledType)}`, because }];
  });
}

/** Describes for the user how a column is used; a used column has samples, as read and as sent. */
export function reportColumn(
  column: PlannedColumn,
  used: SettledColumn | undefined,
  examined: ExaminedField | undefined,
): ColumnReport {
  const samples = (used?.samples ?? []).flatMap((cell) => {
    const after = examined!.take(cell, 0);
    return typeof after === "string" ? [{ before: showCell(cell), after }] : [];
  });
  return {
    column: column.index + 1,
    header: column.header,
    field: used === undefined ? undefined : column.field,
    ...(column.use === "undecided" && { isUndeclared: true }),
    type: used?.type.kind,
    isOther: used !== undefined && column.isOther,
    format: used?.format.format,
    settledBy: used?.format.settledBy,
    samples,
  };
}
