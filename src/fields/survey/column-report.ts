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

/** Tells the user how a column is used; a used column has samples, as read and as sent. */
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
    type: used?.watch.type.kind,
    isOther: used !== undefined && column.isOther,
    format: used?.settled?.format,
    settledBy: nameSource(used?.settled?.settledBy, column.field, options),
    samples,
  };
}

/** An option that the config says and not the command line is the config's word. */
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
