import type { ColumnReport } from "../../model/counts.ts";
import type { Pin } from "../../model/reading.ts";
import { COMMA } from "../amount/amount.ts";
import type { PlannedColumn } from "../columns/column-faults.ts";
import type { FieldOptions } from "../field-options.ts";
import type { ExaminedField } from "../record/examine-row.ts";
import { showCell } from "../spreadsheet-text.ts";
import { isDateFormat, spellType } from "../type-text.ts";
import type { SettledColumn } from "./surveyed-columns.ts";

/**
 * The options that would pin the formats that values settled, so that the next file of this kind is read in the same way.
 */
export function inferredPins(
  settled: readonly SettledColumn[],
  { otherTypes }: Pick<FieldOptions, "otherTypes">,
): Pin[] {
  const types = [...(otherTypes ?? [])].map(([field, { kind }]): Pin => ({
    what: "type",
    option: `--type ${field}=${kind}`,
    because: `most values of ${field} read as ${kind}s`,
  }));
  return [...types, ...datePins(inferred(settled, "date")), ...decimalPins(settled)];
}

function inferred(settled: readonly SettledColumn[], kind: "date" | "amount"): readonly SettledColumn[] {
  return settled.filter(({ type, format }) => type.kind === kind && format.inferred === true);
}

function datePins(dates: readonly SettledColumn[]): Pin[] {
  const formats = new Set(dates.map(({ format }) => format.format));
  if (formats.size === 1)
    return [{ what: "date", option: `--date-format ${[...formats][0]}`, because: because(dates) }];
  return dates.flatMap((column) => {
    const {
      field,
      type,
      format: { format },
    } = column;
    if (!isDateFormat(format)) return [];
    const spelt = spellType({ ...type, kind: "date", format });
    return [{ what: "date", option: `--type ${field}=${spelt}`, because: because([column]) }];
  });
}

/** One option for all columns only if each has shown its mark: an open one may be written otherwise tomorrow. */
function decimalPins(settled: readonly SettledColumn[]): Pin[] {
  const amounts = inferred(settled, "amount");
  const isOpen = settled.some(({ type, format }) => type.kind === "amount" && format.format === undefined);
  const marks = new Set(amounts.map(decimalOf));
  if (!isOpen && marks.size === 1)
    return [{ what: "decimal", option: `--decimal ${[...marks][0]}`, because: because(amounts) }];
  return amounts.map((amount) => {
    const type = spellType({ kind: "amount", decimal: decimalOf(amount) });
    return { what: "decimal", option: `--type ${amount.field}=${type}`, because: because([amount]) };
  });
}

function decimalOf({ format: { spec } }: SettledColumn): "," | "." {
  return spec.kind === "amount" && spec.marks === COMMA ? "," : ".";
}

function because(columns: readonly SettledColumn[]): string {
  return columns
    .map(({ field, format }) => `${field} is settled by ${format.settledBy ?? "its values"}`)
    .join(", ");
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
