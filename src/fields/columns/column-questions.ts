import { quoteText } from "../../model/visible-text.ts";
import {
  dropOption,
  mapOption,
  referToColumns,
  showColumn,
  type ColumnFault,
  type ColumnsPlace,
  type ReferTo,
} from "./column-faults.ts";
import type { LookAt } from "./column-look.ts";
import type { PlannedColumn } from "./planned-column.ts";
import type { FieldOptions } from "../field-options.ts";
import { KEY_FIELD, type KnownFields } from "./known-fields.ts";
import { declareAsItself, doubtfulTypes, unansweredColumns } from "./other-columns.ts";
import { suggestField } from "./column-names.ts";
import { suggestFields } from "./suggest-fields.ts";
import { keyQuestions, suggestedFields } from "./suggestion-questions.ts";

/** The context of the questions. */
export interface Questioned {
  readonly known: KnownFields;
  readonly options: FieldOptions;
  readonly place: ColumnsPlace;
  readonly lookAt: LookAt;
}

/** Questions about the planned columns that only the user can answer; each is a fault that stops the run. */
export function columnQuestions(columns: readonly PlannedColumn[], about: Questioned): ColumnFault[] {
  const { options, place } = about;
  const asking = askingColumns(columns, about);
  const suggestions = suggestFields(asking, takenFields(columns), about);
  const asked = new Set([...suggestions.byField.values(), suggestions.keys].flat());
  const referTo = referToColumns(columns, place);
  const open = asking.filter((column) =>
    column.use === "nameless" ? isUsed(column, about) : column.use === "undecided" && !asked.has(column),
  );
  const taken = takenFields(columns, suggestions.byField.keys());
  const declareOf = declareAsItself({ lookAt: about.lookAt, referTo });
  return [
    ...sharedNames(columns, place),
    ...sharedFields(columns, about, referTo),
    ...keyQuestions(suggestions.keys, { ...about, referTo, declareOf }),
    ...suggestedFields(suggestions.byField, { ...about, referTo, declareOf }),
    ...unansweredColumns(open, taken, { ...about, referTo }),
    ...doubtfulTypes(columns, { ...about, referTo }),
    ...overwrittenConstants(columns, options, place, referTo),
    ...missingRequired(columns, options, place),
    ...missingKey(columns, about),
  ];
}

/**
 * The columns about which there may be a question. An undeclared column without any value has nothing to send, whatever
 * the answer is. If no column at all goes to a field or has a value, the file may be no export.
 */
function askingColumns(
  columns: readonly PlannedColumn[],
  { options, lookAt }: Questioned,
): readonly PlannedColumn[] {
  const isFilled = (column: PlannedColumn): boolean => column.use === "field" || lookAt(column)?.filled !== 0;
  if (options.empty === "send" || !columns.some(isFilled)) return columns;
  const isEmpty = (column: PlannedColumn): boolean =>
    column.use === "undecided" && lookAt(column)?.filled === 0;
  return columns.filter((column) => !isEmpty(column));
}

/** True for a column without a name that holds values. */
function isUsed(column: PlannedColumn, { lookAt }: Questioned): boolean {
  return (lookAt(column)?.filled ?? 0) > 0;
}

function sharedNames(columns: readonly PlannedColumn[], place: ColumnsPlace): ColumnFault[] {
  const inQuestion = columns.filter(
    ({ use, isMapped, name }) => use !== "dropped" && !isMapped && name !== "",
  );
  return groups(inQuestion, ({ name }) => name).map((alike) => ({
    kind: "input",
    code: "repeated-header",
    text: `${alike.length} ${place.noun}s have the same name: ${alike.map((column) => showColumn(column, place)).join(", ")}`,
    remark:
      place.noun === "member"
        ? "they differ in outer spaces only: rename one in the file"
        : `--drop ${alike[1]!.position} leaves one out, --map ${alike[1]!.position}=${suggestField(alike[1]!, new Set(columns.flatMap(({ field }) => field ?? [])))} sends it to a field of its own`,
  }));
}

function sharedFields(
  columns: readonly PlannedColumn[],
  { place }: Questioned,
  referTo: ReferTo,
): ColumnFault[] {
  const used = columns.filter(({ use }) => use === "field");
  return groups(used, ({ field }) => field!.toLowerCase())
    .flatMap(collisions)
    .filter((alike) => alike.some(({ isMapped, name }) => isMapped || name !== alike[0]!.name))
    .map((alike) => {
      const second = alike[1]!;
      const own = suggestField(second, new Set(columns.flatMap(({ field }) => field ?? [])));
      return {
        kind: "input",
        code: "repeated-field",
        text: `${alike.length} ${place.noun}s go to the field ${alike[0]!.field}: ${alike.map((column) => showColumn(column, place)).join(", ")}`,
        remark: `${dropOption(referTo(second))} leaves one out, ${mapOption(referTo(second), own)} sends it to a field of its own`,
      };
    });
}

// Fields that differ only in case are different fields if both are declared.
function collisions(alike: PlannedColumn[]): PlannedColumn[][] {
  return alike.some(({ isOther }) => isOther) ? [alike] : groups(alike, ({ field }) => field!);
}

function takenFields(columns: readonly PlannedColumn[], more: Iterable<string> = []): Set<string> {
  const used = columns.flatMap(({ use, field }) => (use !== "undecided" && field !== undefined ? field : []));
  return new Set([...used, ...more]);
}

/** True if a column goes to a field that has one value for all records. */
export function overwritesConstant(columns: readonly PlannedColumn[], { set }: FieldOptions): boolean {
  return set.size > 0 && columns.some(({ use, field }) => use === "field" && set.has(field!));
}

function overwrittenConstants(
  columns: readonly PlannedColumn[],
  { set }: FieldOptions,
  place: ColumnsPlace,
  referTo: ReferTo,
): ColumnFault[] {
  return columns
    .filter(({ use, field }) => use === "field" && set.has(field!))
    .map((column) => ({
      kind: "usage",
      code: "constant-has-column",
      text: `--set ${column.field}=...: ${showColumn(column, place)} goes to that field`,
      remark: `--drop ${referTo(column)} leaves the ${place.noun} out`,
    }));
}

function missingRequired(
  columns: readonly PlannedColumn[],
  { fields, set }: FieldOptions,
  place: ColumnsPlace,
): ColumnFault[] {
  const filled = new Set(columns.flatMap(({ use, field }) => (use === "field" ? field! : [])));
  return [...(fields ?? [])]
    .filter(
      ([field, declared]) => declared.required === true && declared.default === undefined && !set.has(field),
    )
    .filter(([field]) => !filled.has(field))
    .map(([field]) => ({
      kind: "input",
      code: "required-field-missing",
      text: `the field ${field} is required, and no ${place.noun} goes to it`,
      remark: `--map COLUMN=${field} names the ${place.noun}`,
    }));
}

// Without the key every row would be a create: the user has to say that explicitly.
function missingKey(columns: readonly PlannedColumn[], { options, place }: Questioned): ColumnFault[] {
  const { fields, only, set, map, configColumns } = options;
  const mapped = map.find(({ column, field }) => field === KEY_FIELD && configColumns?.has(column) === true);
  const isRequired = fields?.get(KEY_FIELD)?.required === true;
  const isFilled = columns.some(({ use, field }) => use === "field" && field === KEY_FIELD);
  const isAnswered = only === "creates" || set.has(KEY_FIELD) || columns.some(isDroppedKey);
  if (mapped === undefined || isRequired || isFilled || isAnswered) return [];
  const named = mapped.column === KEY_FIELD ? "" : ` in ${quoteText(mapped.column)}`;
  return [
    {
      kind: "input",
      code: "required-field-missing",
      text: `the config expects the key ${KEY_FIELD}${named}, and no ${place.noun} goes to it: every row would create a new record`,
      remark: `--map COLUMN=${KEY_FIELD} names the ${place.noun}; --only creates, if the rows are new records`,
    },
  ];
}

function isDroppedKey({ use, field }: PlannedColumn): boolean {
  return use === "dropped" && field === KEY_FIELD;
}

// Map.groupBy needs a newer Node than the oldest one supported.
function groups<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const group = found.get(key(item));
    if (group === undefined) found.set(key(item), [item]);
    else group.push(item);
  }
  return [...found.values()].filter((group) => group.length > 1);
}
