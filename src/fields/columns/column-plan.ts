import { referToColumns, showColumn, type ColumnFault, type ColumnsPlace } from "./column-faults.ts";
import { chooseColumns, unknownColumn, type ColumnChoices } from "./column-choices.ts";
import { ColumnFinder } from "./column-finder.ts";
import { isIdentifier, makeIdentifier, type ColumnName } from "./column-names.ts";
import type { PlannedColumn } from "./planned-column.ts";
import { columnQuestions, overwritesConstant } from "./column-questions.ts";
import type { LookAt } from "./column-look.ts";
import type { FieldOptions } from "../field-options.ts";
import { KEY_FIELD, knownFields, type KnownFields } from "./known-fields.ts";
import { quoteWord } from "../../model/shell-word.ts";
import { isMarkerColumn, REJECTED_VALUE } from "../../model/marker-columns.ts";

/** The columns of an input with their fields. */
export interface ColumnPlan {
  readonly columns: readonly PlannedColumn[];
  /** True if an option is wrong whatever the values are. */
  readonly isMisused: () => boolean;
  /** What has to be settled before it can be used; `lookAt` describes the values of a column. */
  readonly faults: (lookAt?: LookAt) => readonly ColumnFault[];
}

/**
 * Settles which field each column goes to. Pure. For JSON it is called with the columns known so far and at the end
 * with all of them, and only then do its faults count: they are found when somebody asks, because looking for them takes most of
 * the memory that a wide table needs.
 */
export function planColumns(
  names: readonly ColumnName[],
  options: FieldOptions,
  place: ColumnsPlace,
  known = knownFields(options),
): ColumnPlan {
  const choices = chooseColumns(names, options, place);
  const assigned = names.map((name) => assignColumn(name, { choices, known, options, place }));
  const { columns, faults } = keepColumns(
    assigned,
    choices,
    new ColumnFinder(names, place.noun === "column"),
    place,
  );
  const ofOptions = (): readonly ColumnFault[] => {
    const unknown = [
      ...choices.faults,
      ...faults,
      ...(place.isInAnswer === true
        ? []
        : unknownFields(columns, options, new ColumnFinder(names, false), place)),
    ];
    return isPartOfJson(names, place) ? unknown.filter(({ code }) => code !== "unknown-column") : unknown;
  };
  return {
    columns,
    isMisused: () => ofOptions().length > 0 || overwritesConstant(columns, options),
    faults: (lookAt = () => undefined) => [
      ...ofOptions(),
      ...columnQuestions(columns, { known, options, place, lookAt }),
    ],
  };
}

// The rejects of a JSON file need not have every member that the options for the whole file name.
function isPartOfJson(names: readonly ColumnName[], { noun }: ColumnsPlace): boolean {
  return noun === "member" && names.some(({ name }) => isMarkerColumn(name));
}

interface Assignment {
  readonly choices: ColumnChoices;
  readonly known: KnownFields;
  readonly options: FieldOptions;
  readonly place: ColumnsPlace;
}

function assignColumn(name: ColumnName, about: Assignment): PlannedColumn {
  const mapped = about.choices.mapped.get(name.index);
  const field = mapped ?? declaredField(name, about);
  const column = { ...name, field, isMapped: mapped !== undefined, isOther: false };
  const isReject = mapped === undefined && isMarkerColumn(name.name);
  if (about.choices.dropped.has(name.index) || isReject) return { ...column, use: "dropped" };
  if (mapped === undefined && name.name === REJECTED_VALUE) return { ...column, use: "nameless" };
  if (field !== undefined) return { ...column, use: "field" };
  return name.name === "" ? { ...column, use: "nameless" } : otherColumn(name, about);
}

/** The field of a column that is declared by options, by config or by the service's specification. */
function declaredField(name: ColumnName, { choices, known, place }: Assignment): string | undefined {
  if (place.isHeaderless) return undefined;
  const isKept = choices.kept?.has(name.index) === true;
  return known.match(name) ?? (isKept && isIdentifier(name.name) ? name.name : undefined);
}

function otherColumn(name: ColumnName, { choices, options, place }: Assignment): PlannedColumn {
  const field = place.isHeaderless ? undefined : makeIdentifier(name.name);
  const column = { ...name, field, isMapped: false, isOther: true };
  if (options.otherColumns === "drop" && choices.kept?.has(name.index) !== true)
    return { ...column, use: "dropped" };
  const isSent = options.otherColumns === "send" && field !== undefined;
  return { ...column, use: isSent ? "field" : "undecided" };
}

function keepColumns(
  columns: readonly PlannedColumn[],
  {
    kept,
    keptFields,
  }: { readonly kept: ReadonlySet<number> | undefined; readonly keptFields: readonly string[] },
  finder: ColumnFinder,
  place: ColumnsPlace,
): { readonly columns: readonly PlannedColumn[]; readonly faults: readonly ColumnFault[] } {
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
    columns: columns.map((column) =>
      isKept(column) ? column : { ...column, use: "dropped", isOther: false },
    ),
    faults,
  };
}

// Without the key every row would be a create: the user has to say that explicitly.
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
