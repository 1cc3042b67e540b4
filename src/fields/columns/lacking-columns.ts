import type { Notice } from "../../model/reading.ts";
import { quoteText } from "../../model/visible-text.ts";
import type { FieldOptions } from "../field-options.ts";
import { listSome } from "../list-some.ts";
import { KEY_FIELD } from "./known-fields.ts";
import type { PlannedColumn } from "./planned-column.ts";

/** Reports which fields of the config get nothing because there is no column for them; a required one is a question. */
export function lackingColumns(
  planned: readonly PlannedColumn[],
  { map, fields, set, configColumns }: FieldOptions,
): Notice[] {
  if (configColumns === undefined || configColumns.size === 0) return [];
  const filled = new Set(planned.flatMap(({ use, field }) => (use === "field" ? field! : [])));
  const lacking = map.filter(({ column, field }) => configColumns.has(column) && !filled.has(field));
  const open = lacking.filter(
    ({ field }) => field !== KEY_FIELD && !set.has(field) && fields?.get(field)?.default === undefined,
  );
  if (open.length === 0) return [];
  const list = listSome(
    open.map(({ column, field }) => (column === field ? field : `${quoteText(column)} (${field})`)),
  );
  const [columns, them] = open.length === 1 ? ["a column", "it"] : [`${open.length} columns`, "them"];
  const text = `the config expects ${columns} that the file lacks: ${list}; nothing is sent for ${them}`;
  return [{ text, isAlwaysShown: true }];
}
