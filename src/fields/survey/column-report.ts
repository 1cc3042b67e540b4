import type { ColumnReport } from "../../model/event.ts";
import { showCell } from "../cell-text.ts";
import type { FieldOptions } from "../field-options.ts";
import type { PlannedColumn } from "../columns/planned-column.ts";
import type { SettledColumn } from "./settled-fields.ts";

const SETTINGS: Readonly<Record<string, string>> = {
  "--decimal": "decimal",
  "--date-format": "dateFormat",
  "--time-zone": "timeZone",
};

/** Describes for the user how a column is used; a used column has samples, as read and as sent. */
export function reportColumn(
  column: PlannedColumn,
  used: SettledColumn | undefined,
  options: FieldOptions,
): ColumnReport {
  const samples = (used?.watch.samples ?? []).flatMap((cell) => {
    const after = used!.examined.take(cell, 0);
    return typeof after === "string" ? [{ before: showCell(cell), after }] : [];
  });
  return {
    column: column.index + 1,
    header: column.header,
    field: used === undefined ? undefined : column.field,
    ...(column.use === "undecided" && { isUndeclared: true }),
    type: used?.watch.type.kind,
    isOther: used !== undefined && column.isOther,
    format: used?.settled?.format,
    settledBy: nameSource(used?.settled?.settledBy, column.field, options),
    samples,
  };
}

/** If the config gives an option and the command line does not, the config is named as its source. */
function nameSource(
  settledBy: string | undefined,
  field: string | undefined,
  { types, configured }: FieldOptions,
): string | undefined {
  const setting = settledBy === undefined ? undefined : SETTINGS[settledBy];
  const isConfigured =
    settledBy === "--type"
      ? field !== undefined && !types.has(field)
      : setting !== undefined && configured?.has(setting);
  return isConfigured ? "the config" : settledBy;
}
