import type { FieldOptions } from "../../fields/field-options.ts";
import { isDateFormat, spellType } from "../../fields/type-text.ts";
import { isRejectColumn } from "../../model/reject-columns.ts";
import type { ColumnReport, SurveyReport } from "../../model/event.ts";
import type { RawOptions } from "../program.ts";
import { textsOf } from "../raw-options.ts";
import { parseNulls } from "../../fields/field-option-texts.ts";
import type { TableSection } from "./read-config.ts";
import { TABLE_KEYS } from "./table-keys.ts";

/** Options that a survey does not settle and a config repeats as they were given. */
const REPEATED = [
  "jsonPath",
  "skipLines",
  "skipFooter",
  "keepFooter",
  "oneTable",
  "comment",
  "maxRowBytes",
  "timeZone",
  "empty",
  "only",
  "onRepeat",
  "pinned",
  "onInvalid",
  "maxInvalid",
];

/** The section with which a file of this kind is read as the survey read it, with nothing left to infer. */
export function pinnedSection(survey: SurveyReport, options: RawOptions, fields: FieldOptions): TableSection {
  const { format, encoding, dialect, headerless } = survey.reading;
  const columns = survey.columns.filter(({ header }) => !isRejectColumn(header));
  return defined({
    format,
    encoding,
    delimiter: dialect?.delimiter === "\t" ? "tab" : dialect?.delimiter,
    quote: dialect?.quote || undefined,
    escape: dialect?.escape || undefined,
    headerLine: dialect?.headerLine,
    header: format === "csv" && headerless ? false : undefined,
    ...repeatedOptions(options),
    map: filled(mapOf(columns, format === "csv", headerless)),
    drop: filled(dropOf(columns, fields)),
    fields: filled(fieldsOf(columns, fields)),
    set: filled(Object.fromEntries(fields.set)),
    null: filled(parseNulls(textsOf(options, "null"))),
    decimal: decimalOf(columns) ?? fields.pins.decimal,
  });
}

function repeatedOptions(options: RawOptions): TableSection {
  return Object.fromEntries(
    REPEATED.map((key) => {
      const value = options[key];
      return [key, value !== undefined && TABLE_KEYS[key]?.kind === "number" ? Number(value) : value];
    }),
  );
}

/** A member of JSON may be absent from the next file, so that only those are named whose field is called otherwise. */
function mapOf(
  columns: readonly ColumnReport[],
  isCsv: boolean,
  headerless: boolean,
): Record<string, string> {
  const nameOf = createNaming(columns, headerless);
  const used = columns.flatMap((column) =>
    column.field === undefined ? [] : [{ name: nameOf(column), field: column.field }],
  );
  return Object.fromEntries(
    used.filter(({ name, field }) => isCsv || name !== field).map(({ name, field }) => [name, field]),
  );
}

/** Columns without a name stay as they are: that nothing stands in them is checked in every file. */
function dropOf(columns: readonly ColumnReport[], { drop }: FieldOptions): string[] {
  const dropped = new Set(drop);
  return columns
    .filter(({ field }) => field === undefined)
    .filter(({ header, column }) => header.trim() !== "" || dropped.has(String(column)))
    .map(createNaming(columns, false));
}

/** Names a column by its header, or by its position where headers do not tell the columns apart. */
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

function fieldsOf(columns: readonly ColumnReport[], options: FieldOptions): Record<string, TableSection> {
  const hasOneMark = decimalOf(columns) !== undefined;
  const typed = columns.flatMap(({ field, type = "text", format }) => {
    if (field === undefined) return [];
    const given = options.types.get(field) ?? { kind: type };
    const isOpen = given.kind === "date" && !("format" in given);
    const dated = isOpen && isDateFormat(format) ? { ...given, format } : given;
    const hasOwnMark = dated.kind === "amount" && format !== undefined && !hasOneMark;
    const pinned = hasOwnMark ? { ...dated, decimal: markOf(format) } : dated;
    return [[field, { type: spellType(pinned) }] as const];
  });
  const fields: Record<string, TableSection> = Object.fromEntries(typed);
  for (const [field, { default: fallback, required, pattern, oneOf }] of options.fields ?? [])
    fields[field] = defined({ ...fields[field], default: fallback, required, pattern, oneOf });
  return fields;
}

/** The one decimal mark that the amounts settled on; `undefined` for none, or for several. */
export function decimalOf(columns: readonly ColumnReport[]): "," | "." | undefined {
  const marks = new Set(
    columns.flatMap(({ type, format }) => (type === "amount" && format !== undefined ? [format] : [])),
  );
  const [only] = marks;
  return only === undefined || marks.size > 1 ? undefined : markOf(only);
}

function markOf(format: string): "," | "." {
  return format === "decimal comma" ? "," : ".";
}

function filled<T extends object>(values: T): T | undefined {
  return Object.keys(values).length === 0 ? undefined : values;
}

function defined(values: TableSection): TableSection {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
