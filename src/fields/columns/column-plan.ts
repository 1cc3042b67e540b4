import { referToColumns, showColumn, type ColumnFault, type ColumnsPlace } from "./column-faults.ts";
import { chooseColumns, unknownColumn } from "./column-choices.ts";
import { ColumnFinder } from "./column-finder.ts";
import { isIdentifier, type ColumnName } from "./column-names.ts";
import type { PlannedColumn } from "./planned-column.ts";
import { columnQuestions } from "./column-questions.ts";
import type { FieldOptions } from "../field-options.ts";
import { KEY_FIELD, KnownFields } from "./known-fields.ts";
import { quoteWord } from "../shell-word.ts";
import { isRejectColumn, REJECTED_VALUE } from "../../model/reject-columns.ts";

/** The columns of an input with their fields, and what has to be settled before it can be used. */
export interface ColumnPlan {
  readonly columns: readonly PlannedColumn[];
  readonly faults: readonly ColumnFault[];
}

/**
 * Settles which field each column goes to. Pure: for JSON it is first asked about some columns, then, at the end, about
 * all of them, and only then do its faults count.
 */
export function planColumns(
  names: readonly ColumnName[],
  options: FieldOptions,
  place: ColumnsPlace,
  known = knownFields(options),
): ColumnPlan {
  const choices = chooseColumns(names, options, place);
  const assigned = names.map((name) => {
    const mapped = choices.mapped.get(name.index);
    const field = mapped ?? fieldOf(name, known, place);
    const isDropped = choices.dropped.has(name.index) || (mapped === undefined && isRejectColumn(name.name));
    return planned(name, field, isDropped, mapped !== undefined);
  });
  const { columns, faults } = keepColumns(
    assigned,
    choices,
    new ColumnFinder(names, place.noun === "column"),
    place,
  );
  const unknown = [
    ...choices.faults,
    ...faults,
    ...unknownFields(columns, options, new ColumnFinder(names, false), place),
  ];
  return {
    columns,
    faults: [
      ...(isPartOfJson(names, place) ? unknown.filter(({ code }) => code !== "unknown-column") : unknown),
      ...columnQuestions(columns, known, options, place),
    ],
  };
}

/** The fields that headers are matched to. */
export function knownFields({ types, fields }: FieldOptions): KnownFields {
  return new KnownFields([...types.keys(), ...(fields?.keys() ?? [])]);
}

// The rejects of a JSON file need not hold every member that the options of the whole file name.
function isPartOfJson(names: readonly ColumnName[], { noun }: ColumnsPlace): boolean {
  return noun === "member" && names.some(({ name }) => isRejectColumn(name));
}

function fieldOf(name: ColumnName, known: KnownFields, place: ColumnsPlace): string | undefined {
  if (place.isHeaderless) return undefined;
  return known.match(name) ?? (isIdentifier(name.name) ? name.name : undefined);
}

function planned(
  name: ColumnName,
  field: string | undefined,
  isDropped: boolean,
  isMapped: boolean,
): PlannedColumn {
  if (isDropped) return { ...name, use: "dropped", field, isMapped };
  if (name.name === REJECTED_VALUE && !isMapped) return { ...name, use: "nameless", field, isMapped };
  if (field !== undefined) return { ...name, use: "field", field, isMapped };
  return { ...name, use: name.name === "" ? "nameless" : "undecided", field, isMapped };
}

function keepColumns(
  columns: readonly PlannedColumn[],
  {
    kept,
    keptFields,
  }: { readonly kept: ReadonlySet<number> | undefined; readonly keptFields: readonly string[] },
  finder: ColumnFinder,
  place: ColumnsPlace,
): ColumnPlan {
  if (kept === undefined) return { columns, faults: [] };
  const fields = new Set(columns.map(({ field }) => field));
  const keptAsFields = new Set(keptFields);
  const faults = keptFields
    .filter((reference) => !fields.has(reference))
    .map((reference) => unknownColumn(`--keep ${quoteWord(reference)}`, reference, finder, place));
  const isKept = (column: PlannedColumn): boolean =>
    kept.has(column.index) || (column.field !== undefined && keptAsFields.has(column.field));
  const key = columns.find(({ use, field }) => use === "field" && field === KEY_FIELD);
  if (key !== undefined && !isKept(key)) faults.push(keyNotKept(key, columns, place));
  return {
    columns: columns.map((column) => (isKept(column) ? column : { ...column, use: "dropped" })),
    faults,
  };
}

// Without the key every row would be a create: that has to be said, not implied.
function keyNotKept(key: PlannedColumn, columns: readonly PlannedColumn[], place: ColumnsPlace): ColumnFault {
  const drop = `--drop ${quoteWord(referToColumns(columns, place)(key))}`;
  return {
    kind: "usage",
    code: "key-not-kept",
    text: `--keep leaves out ${showColumn(key, place)}, the key: every row would create a new record`,
    remark: `name ${KEY_FIELD} in --keep too; to create new records from every row, ${drop}`,
  };
}

function unknownFields(
  columns: readonly PlannedColumn[],
  options: FieldOptions,
  finder: ColumnFinder,
  place: ColumnsPlace,
): ColumnFault[] {
  const known = new Set(columns.map(({ field }) => field));
  return [...options.types.keys()]
    .filter((field) => !options.set.has(field) && !options.fields?.has(field))
    .filter((field) => !known.has(field))
    .map((field) => unknownColumn(`--type ${field}=...`, field, finder, place));
}
