import { showCount } from "../../model/counts.ts";
import { quoteText } from "../../model/text.ts";
import type { FieldOptions } from "../field-options.ts";
import {
  type ColumnFault,
  type ColumnLook,
  type ColumnsPlace,
  dropOption,
  groupBy,
  mapOption,
  misuse,
  normaliseName,
  type PlannedColumn,
  referToColumns,
  showColumn,
  suggestField,
} from "./column-faults.ts";
import { fieldCalled, isKeyName, nearestField } from "./name-kinds.ts";
import {
  declareAsItself,
  doubtfulTypes,
  KEY_FIELD,
  type KnownFields,
  nestedMembers,
  nullOption,
  type Questioned,
  typeOfField,
  unansweredColumns,
} from "./other-columns.ts";

/** Questions about the planned columns that only the user can answer; each is a fault that stops the run. */
export function columnQuestions(
  columns: readonly PlannedColumn[],
  given: Omit<Questioned, "referTo"> & { readonly known: KnownFields },
): ColumnFault[] {
  const { options, place, lookAt, known } = given;
  const about = { options, place, lookAt, referTo: referToColumns(columns, place) };
  const asking = askingColumns(columns, about);
  const suggestions = suggestFields(asking, takenFields(columns), known, about);
  const asked = new Set([...suggestions.byField.values(), ...suggestions.keys]);
  const open = asking.filter((column) =>
    column.use === "nameless"
      ? (lookAt(column)?.filled ?? 0) > 0
      : column.use === "undecided" && !asked.has(column) && lookAt(column)?.nested === undefined,
  );
  const taken = takenFields(columns, suggestions.byField.keys());
  return [
    ...sharedColumns(columns, about),
    ...keyQuestions(suggestions.keys, about),
    ...suggestedFields(suggestions.byField, about),
    ...unansweredColumns(open, taken, about),
    ...nestedMembers(columns, about),
    ...doubtfulTypes(columns, about),
    ...overwrittenConstants(columns, about),
    ...missingRequired(columns, options, place),
    ...missingKey(columns, about),
  ];
}

/**
 * The columns about which there may be a question. An undeclared column without any value sends nothing, whatever the
 * answer. If no column at all goes to a field or has a value, the file may be no export.
 */
function askingColumns(
  columns: readonly PlannedColumn[],
  { options, lookAt }: Pick<Questioned, "options" | "lookAt">,
): readonly PlannedColumn[] {
  const isFilled = (column: PlannedColumn): boolean => column.use === "field" || lookAt(column)?.filled !== 0;
  if (options.empty === "send" || !columns.some(isFilled)) return columns;
  const isEmpty = (column: PlannedColumn): boolean =>
    column.use === "undecided" && lookAt(column)?.filled === 0;
  return columns.filter((column) => !isEmpty(column));
}

/** Columns of one name, and columns that go to one field. */
function sharedColumns(columns: readonly PlannedColumn[], { place, referTo }: Questioned): ColumnFault[] {
  const ask = (alike: readonly PlannedColumn[], code: ColumnFault["code"], how: string): ColumnFault => {
    const shown = alike.map((column) => showColumn(column, place)).join(", ");
    const second = referTo(alike[1]!);
    const own = suggestField(alike[1]!, new Set(columns.flatMap(({ field }) => field ?? [])));
    const areMembers = place.noun === "member" && code === "repeated-header";
    const remark = areMembers
      ? "they differ in outer spaces only: rename one in the file"
      : `${dropOption(second)} leaves one out, ${mapOption(second, own)} sends it to a field of its own`;
    return { code, text: `${alike.length} ${place.noun}s ${how}: ${shown}`, remark };
  };
  const named = columns.filter(({ use, isMapped, name }) => use !== "dropped" && !isMapped && name !== "");
  const used = columns.filter(({ use }) => use === "field");
  return [
    ...shared(named, ({ name }) => name).map((alike) => ask(alike, "repeated-header", "have the same name")),
    ...shared(used, ({ field }) => field!.toLowerCase())
      .flatMap(collisions)
      .filter((alike) => alike.some(({ isMapped, name }) => isMapped || name !== alike[0]!.name))
      .map((alike) => ask(alike, "repeated-field", `go to the field ${alike[0]!.field}`)),
  ];
}

// Fields that differ only in case are different fields if both are declared.
function collisions(alike: readonly PlannedColumn[]): (readonly PlannedColumn[])[] {
  return alike.some(({ isOther }) => isOther) ? [alike] : shared(alike, ({ field }) => field!);
}

function shared(
  columns: readonly PlannedColumn[],
  keyOf: (column: PlannedColumn) => string,
): (readonly PlannedColumn[])[] {
  return [...groupBy(columns, keyOf).values()].filter(({ length }) => length > 1);
}

function takenFields(columns: readonly PlannedColumn[], more: Iterable<string> = []): Set<string> {
  const used = columns.flatMap(({ use, field }) => (use !== "undecided" && field !== undefined ? field : []));
  return new Set([...used, ...more]);
}

function overwrittenConstants(
  columns: readonly PlannedColumn[],
  { options: { set }, place, referTo }: Questioned,
): ColumnFault[] {
  return columns
    .filter(({ use, field }) => use === "field" && set.has(field!))
    .map((column) =>
      misuse(
        "contradicting-options",
        `--set ${column.field}=...: ${showColumn(column, place)} goes to that field`,
        `--drop ${referTo(column)} leaves the ${place.noun} out`,
      ),
    );
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
  const isDropped = columns.some(({ use, field }) => use === "dropped" && field === KEY_FIELD);
  const isAnswered = only === "creates" || set.has(KEY_FIELD) || isDropped;
  if (mapped === undefined || isRequired || isFilled || isAnswered) return [];
  const named = mapped.column === KEY_FIELD ? "" : ` in ${quoteText(mapped.column)}`;
  return [
    {
      code: "required-field-missing",
      text: `the config expects the key ${KEY_FIELD}${named}, and no ${place.noun} goes to it: every row would create a new record`,
      remark: `--map COLUMN=${KEY_FIELD} names the ${place.noun}; --only creates, if the rows are new records`,
    },
  ];
}

/** Undeclared columns, with the declared field without a column that each seems to be. */
interface Suggestions {
  readonly byField: ReadonlyMap<string, PlannedColumn>;
  /** Columns whose name is that of a key, and whose values may be keys. */
  readonly keys: readonly PlannedColumn[];
}

/**
 * Finds the field that each open column seems to be: misspelt by one letter or, if nothing is sent unasked, named with other
 * words. Only if its values fit, and if no other column seems to be the same field.
 */
function suggestFields(
  columns: readonly PlannedColumn[],
  taken: ReadonlySet<string>,
  known: KnownFields,
  { options, lookAt }: Pick<Questioned, "options" | "lookAt">,
): Suggestions {
  const free = new Set([...known.names].filter((field) => !taken.has(field) && !options.set.has(field)));
  const isKeyFree = free.has(KEY_FIELD) && options.only !== "creates";
  const normals = new Map([...free].map((field) => [field, normaliseName(field)] as const));
  const byField = new Map<string, PlannedColumn[]>();
  const keys: PlannedColumn[] = [];
  for (const column of columns) {
    if (!isOpen(column, known)) continue;
    const look = lookAt(column);
    // No object is a key.
    if (look?.nested !== undefined) continue;
    if (isKeyFree && column.isOther && isKeyName(column.name) && mayBeKey(look)) {
      keys.push(column);
      continue;
    }
    const field = nearestField(column.normal, normals) ?? fieldByWords(column, look, options);
    if (field === undefined || !free.has(field) || !fits(look, typeOfField(field, options).kind)) continue;
    byField.set(field, [...(byField.get(field) ?? []), column]);
  }
  const alone = [...byField].flatMap(([field, [column, ...others]]) =>
    others.length === 0 ? [[field, column!] as const] : [],
  );
  return { byField: new Map(alone), keys };
}

function isOpen({ isOther, isMapped, use, field, name }: PlannedColumn, known: KnownFields): boolean {
  if (isMapped || name === "") return false;
  return isOther || (use === "field" && !known.names.has(field!));
}

/** Words alone, without values, prove too little; no field if all columns are to be sent under their own names. */
function fieldByWords(
  { name, isOther }: PlannedColumn,
  look: ColumnLook | undefined,
  { otherColumns }: FieldOptions,
): string | undefined {
  if (!isOther || otherColumns === "send" || look === undefined || look.filled === 0) return undefined;
  return fieldCalled(name);
}

/** True if each row has a value, and rows that differ have different ones. */
function mayBeKey(look: ColumnLook | undefined): boolean {
  if (look === undefined) return true;
  return look.rows > 0 && look.filled === look.rows && look.repeated === 0 && look.nullWords.length === 0;
}

function fits(look: ColumnLook | undefined, kind: ColumnLook["kind"]): boolean {
  return look === undefined || look.filled === 0 || look.fits.has(kind);
}

/** Asks about each column that seems to be a declared field without a column. */
function suggestedFields(byField: Suggestions["byField"], about: Questioned): ColumnFault[] {
  const { place, lookAt, referTo, options } = about;
  return [...byField].map(([field, column]) => {
    const own = declareAsItself(column, about);
    const { kind } = typeOfField(field, options);
    return {
      code: "near-miss",
      text: `${showColumn(column, place)} looks like the field ${field}, which has no ${place.noun}: is it that field?`,
      options: [mapOption(referTo(column), field), ...nullOption(kind, lookAt(column))],
      remark: own.length === 0 ? undefined : `${own.join(" ")} sends it under its own name`,
    };
  });
}

/**
 * Asks which column is the key, if any; never answered unasked. Each answer says of each column what it is, so that no
 * further question follows.
 */
function keyQuestions(keys: readonly PlannedColumn[], about: Questioned): ColumnFault[] {
  const { place, lookAt, referTo, options } = about;
  const [first] = keys;
  if (first === undefined) return [];
  const rows = lookAt(first)?.rows;
  const counts = (updates: number, creates: number): string =>
    rows === undefined ? "" : `: ${showCount(updates, "update")}, ${showCount(creates, "create")}`;
  const asFields = (but?: PlannedColumn): readonly string[] =>
    options.otherColumns === undefined
      ? keys.filter((key) => key !== but).flatMap((key) => declareAsItself(key, about))
      : [];
  const answers = keys.map((key) => [mapOption(referTo(key), KEY_FIELD), ...asFields(key)].join(" "));
  const effects = keys.map((key) => `${showColumn(key, place)} is the key${counts(rows ?? 0, 0)}`);
  // With updates alone, a file without a key has nothing to send.
  if (options.only !== "updates") {
    answers.push(["--only creates", ...asFields()].join(" "));
    effects.push(`none of them${counts(0, rows ?? 0)}`);
  }
  const shown = keys.map((key) => showColumn(key, place)).join(" or ");
  return [
    {
      code: "near-miss",
      text: `${shown} may be the key ${KEY_FIELD}, which has no ${place.noun}: is it?`,
      answers,
      effects,
      remark: answers.map((answer, at) => `${effects[at]}: ${answer}`).join("\n"),
    },
  ];
}
