import type { ColumnReport } from "../model/event.ts";
import { showCell } from "./cell-text.ts";
import type { PlannedColumn } from "./planned-column.ts";
import type { SettledColumn } from "./settled-fields.ts";

/** What becomes of a column, for people; a column in use with samples, as read and as sent. */
export function reportColumn(column: PlannedColumn, used: SettledColumn | undefined): ColumnReport {
  const samples = (used?.watch.samples ?? []).flatMap((cell) => {
    const after = used!.examined.take(cell, 0);
    return typeof after === "string" ? [{ before: showCell(cell), after }] : [];
  });
  return {
    column: column.index + 1,
    header: column.header,
    field: used === undefined ? undefined : column.field,
    type: used?.watch.type.kind,
    format: used?.settled?.format,
    settledBy: used?.settled?.settledBy,
    samples,
  };
}
