import { showCount } from "../../model/decimal-of.ts";
import { quoteText } from "../../model/refer-to-sheets.ts";
import type { FieldOptions } from "../field-options.ts";
import {
  type ColumnFault,
  type ColumnLook,
  type ColumnsPlace,
  dropOption,
  type LookAt,
  mapOption,
  type PlannedColumn,
  type ReferTo,
  referToColumns,
  showColumn,
  suggestField,
} from "./column-faults.ts";
import { isKeyName, meaningOf } from "./name-kinds.ts";
import { NearMisses } from "./near-miss.ts";
import {
  declareAsItself,
  type DeclareOf,
  doubtfulTypes,
  KEY_FIELD,
  type KnownFields,
  nullOption,
  typeOfField,
  unansweredColumns,
} from "./other-columns.ts";

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

/** Undeclared columns, with the declared field without a column that each seems to be. */
interface Suggestions {
  /** By spelling or, if nothing is sent unasked, by words. */
  readonly byField: ReadonlyMap<string, readonly PlannedColumn[]>;
  /** Columns whose name is that of a key, and whose values may be keys. */
  readonly keys: readonly PlannedColumn[];
}

/**
 * Finds the field that each open column seems to be: misspelt, or named with other words or in another language. Only
 * if its values can be read as the type of the field.
 */
function suggestFields(
  columns: readonly PlannedColumn[],
  taken: ReadonlySet<string>,
  {
    known,
    options,
    lookAt,
  }: { readonly known: KnownFields; readonly options: FieldOptions; readonly lookAt: LookAt },
): Suggestions {
  const free = [...known.names].filter((field) => !taken.has(field) && !options.set.has(field));
  // A key that was guessed makes updates of other records, or of one record for all rows.
  const resembled = free.filter((field) => field !== KEY_FIELD);
  const near = new NearMisses(resembled);
  const byMeaning = groupByMeaning(resembled);
  // Longer names first: `x_order_date` ends with `order_date`, not with `date`.
  // Members of objects inside a record may be named like fields: `order.cle` becomes `order_cle`.
  const inside = options.isFlattened === true ? [...free].sort((a, b) => b.length - a.length) : [];
  const isKeyFree = free.includes(KEY_FIELD) && options.only !== "creates";
  const byField = new Map<string, PlannedColumn[]>();
  const keys: PlannedColumn[] = [];
  for (const column of columns) {
    if (!isOpen(column, known)) continue;
    const look = lookAt(column);
    // No object is a key.
    if (look?.nested !== undefined) continue;
    const member = inside.find((field) => column.name.endsWith(`_${field}`));
    const isNamedKey = isKeyName(column.name) || member === KEY_FIELD;
    if (isKeyFree && column.isOther && isNamedKey && mayBeKey(look)) {
      keys.push(column);
      continue;
    }
    const field =
      near.nearest(column.name) ??
      (member === KEY_FIELD ? undefined : member) ??
      fieldByWords(column, look, byMeaning, options);
    if (field === undefined || !fits(look, typeOfField(field, options).kind)) continue;
    const alike = byField.get(field);
    if (alike === undefined) byField.set(field, [column]);
    else alike.push(column);
  }
  return { byField, keys };
}

function isOpen({ isOther, isMapped, use, field, name }: PlannedColumn, known: KnownFields): boolean {
  if (isMapped || name === "") return false;
  return isOther || (use === "field" && !known.names.has(field!));
}

/** Words alone, without values, prove too little; no field if all columns are to be sent under their own names. */
function fieldByWords(
  { name, isOther }: PlannedColumn,
  look: ColumnLook | undefined,
  byMeaning: ReadonlyMap<string, string | undefined>,
  { otherColumns }: FieldOptions,
): string | undefined {
  if (!isOther || otherColumns === "send") return undefined;
  if (look === undefined || look.filled === 0) return undefined;
  const meaning = meaningOf(name);
  return meaning === undefined ? undefined : byMeaning.get(meaning);
}

/** If several fields have the same meaning, none of them is suggested. */
function groupByMeaning(fields: readonly string[]): ReadonlyMap<string, string | undefined> {
  const byMeaning = new Map<string, string | undefined>();
  for (const field of fields) {
    const meaning = meaningOf(field);
    if (meaning === undefined) continue;
    byMeaning.set(meaning, byMeaning.has(meaning) ? undefined : field);
  }
  return byMeaning;
}

/** True if each row has a value, and rows that differ have different ones. */
function mayBeKey(look: ColumnLook | undefined): boolean {
  if (look === undefined) return true;
  return look.rows > 0 && look.filled === look.rows && look.repeated === 0 && look.nullWords.length === 0;
}

function fits(look: ColumnLook | undefined, kind: ColumnLook["kind"]): boolean {
  return look === undefined || look.filled === 0 || look.fits.has(kind);
}

const NOUNS = { text: "texts", digits: "digits", amount: "amounts", date: "dates" } as const;

/** What questions about columns need to be put and answered. */
interface AskedAbout {
  readonly place: ColumnsPlace;
  readonly lookAt: LookAt;
  readonly referTo: ReferTo;
  readonly declareOf: DeclareOf;
  readonly options: FieldOptions;
}

/**
 * Asks about each column that seems to be a declared field without a column. If several columns seem to be the same
 * field, only the user can say which one it is.
 */
function suggestedFields(
  byField: ReadonlyMap<string, readonly PlannedColumn[]>,
  { place, lookAt, referTo, declareOf, options }: AskedAbout,
): ColumnFault[] {
  return [...byField].map(([field, columns]) => {
    const shown = columns.map((column) => showColumn(column, place)).join(" and ");
    const maps = columns.map((column) => mapOption(referTo(column), field));
    const [only] = columns;
    if (columns.length > 1) {
      return {
        kind: "input",
        code: "near-miss",
        text: `${shown} look like the field ${field}, which has no ${place.noun}: which of them is it?`,
        answers: maps,
        remark: maps.join(" or "),
      };
    }
    const own = declareOf(only!);
    const { kind } = typeOfField(field, options);
    const look = lookAt(only!);
    const misfits = look?.misfits[kind] ?? 0;
    if (misfits > 0 && own.length > 0) {
      const alone = own.join(" ");
      return {
        kind: "input",
        code: "near-miss",
        text: `${shown} has a name like the field ${field}, and ${showCount(misfits, "value")} of ${look!.filled.toLocaleString("en")} ${misfits === 1 ? "does" : "do"} not fit it (${NOUNS[kind]}): is it that field?`,
        answers: [alone, maps[0]!],
        remark: `${alone} sends it under its own name, ${maps[0]!} if those cells are to be mended`,
      };
    }
    return {
      kind: "input",
      code: "near-miss",
      text: `${shown} looks like the field ${field}, which has no ${place.noun}: is it that field?`,
      options: [...maps, ...nullOption(kind, look)],
      remark: own.length === 0 ? undefined : `${own.join(" ")} sends it under its own name`,
    };
  });
}

/**
 * Asks which column is the key, if one is; never answered unasked. The answers say of each column what it is, so that
 * nothing about them is left to ask.
 */
function keyQuestions(
  keys: readonly PlannedColumn[],
  { place, lookAt, referTo, declareOf, options }: AskedAbout,
): ColumnFault[] {
  const [first] = keys;
  if (first === undefined) return [];
  const rows = lookAt(first)?.rows;
  const counts = (updates: number, creates: number): string =>
    rows === undefined ? "" : `: ${showCount(updates, "update")}, ${showCount(creates, "create")}`;
  const asFields = (but?: PlannedColumn): readonly string[] =>
    options.otherColumns === undefined ? keys.filter((key) => key !== but).flatMap(declareOf) : [];
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
      kind: "input",
      code: "near-miss",
      text: `${shown} may be the key ${KEY_FIELD}, which has no ${place.noun}: is it?`,
      answers,
      effects,
      remark: answers.map((answer, at) => `${effects[at]}: ${answer}`).join("\n"),
    },
  ];
}
