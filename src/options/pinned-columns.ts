import { KEY_FIELD } from "../fields/columns/known-fields.ts";
import type { FieldOptions } from "../fields/field-options.ts";
import { isDateFormat, spellType } from "../fields/type-text.ts";
import type { ColumnReport, SurveyReport } from "../model/event.ts";
import { decimalOf, markOf } from "../model/decimal-of.ts";
import { isMarkerColumn } from "../model/marker-columns.ts";
import { isTabular } from "../model/reading.ts";
import type { PinnedField } from "./declaration.ts";

/**
 * The field of each column. For JSON only if the names differ, because a member may be absent from the next file, and
 * the key that every row has: without it all of the next rows would be created.
 */
export function pinnedMap(survey: SurveyReport): object | undefined {
  const { format, headerless } = survey.reading;
  const columns = ownColumns(survey);
  const nameOf = createNaming(columns, headerless);
  const used = columns
    .filter(isKnown)
    .flatMap((column) => (column.field === undefined ? [] : [[nameOf(column), column.field] as const]));
  const hasKeys = survey.counts.creates === 0;
  const named = used.filter(
    ([name, field]) => isTabular(format) || name !== field || (field === KEY_FIELD && hasKeys),
  );
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

/** The dropped columns. Columns without a name are not listed, because each push checks that they are empty. */
export function pinnedDrop(survey: SurveyReport, { drop }: FieldOptions): readonly string[] | undefined {
  const columns = ownColumns(survey);
  const dropped = new Set(drop);
  const names = columns
    .filter(isKnown)
    .filter(({ field }) => field === undefined)
    .filter(({ header, column }) => header.trim() !== "" || dropped.has(String(column)))
    .map(createNaming(columns, false));
  return names.length === 0 ? undefined : names;
}

/** The type of a field, with the format that the values of its column settled. */
export function pinnedType({ field, column, decimal, fields }: PinnedField): string | undefined {
  if (column === undefined) {
    const type = fields.types.get(field);
    return type === undefined ? undefined : spellType(type);
  }
  const { type = "text", format } = column;
  const given = fields.types.get(field) ?? { kind: type };
  const isOpen = given.kind === "date" && !("format" in given);
  const dated = isOpen && isDateFormat(format) ? { ...given, format } : given;
  const hasOwnMark = dated.kind === "amount" && format !== undefined && decimal === undefined;
  return spellType(hasOwnMark ? { ...dated, decimal: markOf(format) } : dated);
}

/** The fields for which `init` writes rules: those with a column, and those that options or config declare. */
export function pinnedFields(survey: SurveyReport, fields: FieldOptions): readonly PinnedField[] {
  const columns = new Map<string, ColumnReport | undefined>();
  for (const column of ownColumns(survey).filter(isKnown))
    if (column.field !== undefined) columns.set(column.field, column);
  // Beside a path, a type may be that of a member around the records.
  const typed = survey.reading.jsonPath === undefined ? [] : fields.types.keys();
  for (const field of [...(fields.fields?.keys() ?? []), ...typed])
    if (!columns.has(field)) columns.set(field, undefined);
  const decimal = decimalOf(survey.columns);
  return [...columns].map(([field, column]) => ({ field, column, decimal, fields }));
}

/** The columns of the input itself, without those that a rejects file adds. */
function ownColumns({ columns }: SurveyReport): readonly ColumnReport[] {
  return columns.filter(({ header }) => !isMarkerColumn(header));
}

/** False for an empty column that nothing declares: its type only shows once it holds a value. */
function isKnown({ isUndeclared = false, isOther, samples }: ColumnReport): boolean {
  return !isUndeclared && (!isOther || samples.length > 0);
}

/** Names a column by its header, or by its position if several columns have that header. */
function createNaming(
  columns: readonly ColumnReport[],
  headerless: boolean,
): (column: ColumnReport) => string {
  const counts = new Map<string, number>();
  for (const { header } of columns) counts.set(header.trim(), (counts.get(header.trim()) ?? 0) + 1);
  return ({ header, column }) => {
    const name = header.trim();
    return headerless || name === "" || counts.get(name) !== 1 ? String(column) : name;
  };
}
