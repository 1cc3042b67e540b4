import { isMarkerColumn, REJECTED_VALUE } from "../../model/marker-columns.ts";
import { quoteWord } from "../../model/text.ts";
import type { FieldOptions } from "../field-options.ts";
import {
  type ColumnFault,
  type ColumnName,
  type ColumnsPlace,
  groupBy,
  isIdentifier,
  type LookAt,
  makeIdentifier,
  misuse,
  normaliseName,
  type PlannedColumn,
  referToColumns,
  showColumn,
  listSome,
} from "./column-faults.ts";
import { columnQuestions } from "./column-questions.ts";
import { KEY_FIELD, knownFields, type KnownFields } from "./other-columns.ts";

/** The columns of an input with their fields. */
export interface ColumnPlan {
  readonly columns: readonly PlannedColumn[];
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
  const assigned = names.map((name) => assignColumn(name, choices, known, options, place));
  const columns = assigned.map((column) =>
    choices.kept?.has(column.index) === false
      ? { ...column, use: "dropped" as const, isOther: false }
      : column,
  );
  const ofOptions = (): readonly ColumnFault[] => {
    const faults = [
      ...choices.faults,
      ...keyNotKept(assigned, choices, place),
      // An option may name a member beside the records, which is then no failure of the service.
      ...(place.isInAnswer === true ? [] : unknownFields(columns, options, place)),
    ];
    return isPartOfJson(names, place) ? faults.filter(({ code }) => code !== "unknown-column") : faults;
  };
  return {
    columns,
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

function assignColumn(
  name: ColumnName,
  { mapped, dropped, kept }: ColumnChoices,
  known: KnownFields,
  { otherColumns }: FieldOptions,
  { isHeaderless }: ColumnsPlace,
): PlannedColumn {
  const isNamed = kept?.has(name.index) === true;
  const isMapped = mapped.has(name.index);
  const own = isNamed && isIdentifier(name.name) ? name.name.toLowerCase() : undefined;
  const field = mapped.get(name.index) ?? (isHeaderless ? undefined : (known.match(name) ?? own));
  const column = { ...name, field, isMapped, isOther: false };
  if (dropped.has(name.index) || (!isMapped && isMarkerColumn(name.name)))
    return { ...column, use: "dropped" };
  if (!isMapped && name.name === REJECTED_VALUE) return { ...column, use: "nameless" };
  if (field !== undefined) return { ...column, use: "field" };
  if (name.name === "") return { ...column, use: "nameless" };
  const made = isHeaderless ? undefined : makeIdentifier(name.name);
  const other = { ...column, field: made, isOther: true };
  if (otherColumns === "drop" && !isNamed) return { ...other, use: "dropped" };
  return { ...other, use: otherColumns === "send" && made !== undefined ? "field" : "undecided" };
}

// Without the key every row would be a create: the user has to say that explicitly.
function keyNotKept(
  columns: readonly PlannedColumn[],
  { kept }: ColumnChoices,
  place: ColumnsPlace,
): ColumnFault[] {
  const key = columns.find(({ use, field }) => use === "field" && field === KEY_FIELD);
  if (key === undefined || kept === undefined || kept.has(key.index)) return [];
  const own = quoteWord(referToColumns(columns, place)(key));
  const text = `--keep leaves out ${showColumn(key, place)}, the key: every row would create a new record`;
  const remark = `name ${own} in --keep too; to create new records from every row, --drop ${own}`;
  return [misuse("contradicting-options", text, remark)];
}

function unknownFields(
  columns: readonly PlannedColumn[],
  { types, set, fields }: FieldOptions,
  place: ColumnsPlace,
): ColumnFault[] {
  const known = new Set(columns.map(({ field }) => field));
  return [...types.keys()]
    .filter((field) => !known.has(field) && !set.has(field) && fields?.has(field) !== true)
    .map((field) => unknownColumn(`--type ${field}=...`, columns, place));
}

/** The choices of `--map`, `--drop` and `--keep` for the columns of one input, by column index. */
interface ColumnChoices {
  readonly mapped: ReadonlyMap<number, string>;
  readonly dropped: ReadonlySet<number>;
  /** `undefined` if all are kept. */
  readonly kept: ReadonlySet<number> | undefined;
  readonly faults: readonly ColumnFault[];
}

/** Finds the columns that the options name. A name that is not found, or means several columns, is a fault. */
function chooseColumns(
  columns: readonly ColumnName[],
  { map, drop, keep, configColumns }: Pick<FieldOptions, "map" | "drop" | "keep" | "configColumns">,
  place: ColumnsPlace,
): ColumnChoices {
  const references = [...map.map((rule) => rule.column), ...drop, ...keep];
  const find = columnFinder(columns, place.noun === "column", references);
  const faults: ColumnFault[] = [];
  const mapped = new Map<number, string>();
  const [dropped, kept] = [new Set<number>(), new Set<number>()];
  /** The columns of a name, or none and a fault. A config may name columns that a file lacks. */
  const choose = (option: string, reference: string, isOne: boolean): readonly ColumnName[] => {
    const found = find(reference);
    const isSeveral = isOne ? found.length > 1 : found.some(({ name }) => name !== found[0]!.name);
    if (isSeveral) faults.push(severalColumns(option, found, place));
    else if (found.length === 0 && configColumns?.has(reference) !== true)
      faults.push(unknownColumn(option, columns, place));
    return isSeveral ? [] : found;
  };
  const chosenTwice = (option: string, column: ColumnName): void => {
    const text = `${option} sends ${showColumn(column, place)} to a field`;
    faults.push(misuse("contradicting-options", text, "leave one of them out"));
  };

  for (const { column: reference, field } of map) {
    const option = `--map ${quoteWord(`${reference}=${field}`)}`;
    for (const column of choose(option, reference, true)) {
      if (mapped.has(column.index)) chosenTwice(`${option}: another --map already`, column);
      else mapped.set(column.index, field);
    }
  }
  for (const reference of drop) {
    const option = `--drop ${quoteWord(reference)}`;
    for (const column of choose(option, reference, false)) {
      if (mapped.has(column.index)) chosenTwice(`${option}: a --map`, column);
      dropped.add(column.index);
    }
  }
  for (const reference of keep)
    for (const { index } of choose(`--keep ${quoteWord(reference)}`, reference, false)) kept.add(index);
  return { mapped, dropped, kept: keep.length === 0 ? undefined : kept, faults };
}

/** The fault of an option that names no column of the input, with the first columns that there are. */
function unknownColumn(option: string, columns: readonly ColumnName[], place: ColumnsPlace): ColumnFault {
  const { noun } = place;
  const named = columns.filter(({ normal }) => normal !== "").map((column) => showColumn(column, place));
  const others = named.length === 0 ? ", nor any with a name" : ` among ${listSome(named)}`;
  const remark = `correct the option, or leave it out; files with other ${noun}s are pushed by a command of their own`;
  return misuse("unknown-column", `${option}: there is no such ${noun}${others}`, remark);
}

function severalColumns(option: string, found: readonly ColumnName[], place: ColumnsPlace): ColumnFault {
  const shown = found.map((column) => showColumn(column, place));
  const remark = place.noun === "column" ? "name the column by its position" : "write the name exactly";
  return misuse("ambiguous-column", `${option} could mean ${listSome(shown, " and ")}`, remark);
}

/**
 * Finds the columns that an option names: by exact header, else by normalised header, else by 1-based position. A
 * header that another option names exactly is left to that option. Several columns only if these have the same name.
 */
function columnFinder(
  columns: readonly ColumnName[],
  takesPositions: boolean,
  references: readonly string[],
): (reference: string) => readonly ColumnName[] {
  // Most commands name none.
  if (references.length === 0) return () => [];
  const exact = new Set(references);
  const byName = groupBy(columns, ({ name }) => name);
  const byNormal = groupBy(columns, ({ name, normal }) => (exact.has(name) ? "" : normal));
  const byPosition = groupBy(columns, ({ name, position }) => (isMarkerColumn(name) ? 0 : position));
  return (reference) => {
    const normal = normaliseName(reference);
    const named = byName.get(reference) ?? (normal === "" ? undefined : byNormal.get(normal));
    const isPosition = takesPositions && /^0*[1-9]\d*$/.test(reference);
    return named ?? (isPosition ? byPosition.get(Number(reference)) : undefined) ?? [];
  };
}
