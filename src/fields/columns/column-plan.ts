import { isMarkerColumn, REJECTED_VALUE } from "../../model/marker-columns.ts";
import { quoteWord } from "../../model/text.ts";
import type { FieldOptions } from "../field-options.ts";
import { listSome } from "../list-some.ts";
import {
  type ColumnFault,
  type ColumnName,
  type ColumnsPlace,
  isIdentifier,
  type LookAt,
  makeIdentifier,
  normaliseName,
  type PlannedColumn,
  referToColumns,
  showColumn,
} from "./column-faults.ts";
import { columnQuestions, overwritesConstant } from "./column-questions.ts";
import { countEdits } from "./near-miss.ts";
import { KEY_FIELD, knownFields, type KnownFields } from "./other-columns.ts";

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

/** The choices of `--map`, `--drop` and `--keep` for the columns of one input, by column index. */
interface ColumnChoices {
  readonly mapped: ReadonlyMap<number, string>;
  readonly dropped: ReadonlySet<number>;
  /** `undefined` if all are kept. */
  readonly kept: ReadonlySet<number> | undefined;
  /** Names in `--keep` that are not headers: each must be a field, or is wrong. */
  readonly keptFields: readonly string[];
  readonly faults: readonly ColumnFault[];
}

/** Finds the columns that the options name. A name that is not found, or means several columns, is a fault. */
function chooseColumns(
  columns: readonly ColumnName[],
  { map, drop, keep, configColumns }: Pick<FieldOptions, "map" | "drop" | "keep" | "configColumns">,
  place: ColumnsPlace,
): ColumnChoices {
  const references = [...map.map((rule) => rule.column), ...drop, ...keep];
  const finder = new ColumnFinder(columns, place.noun === "column", references);
  const faults: ColumnFault[] = [];
  const mapped = new Map<number, string>();
  const keptFields: string[] = [];
  /** The columns of a name, or none and a fault. A config may name columns that a file lacks. */
  const choose = (option: string, reference: string, isOne: boolean): readonly ColumnName[] => {
    const found = finder.find(reference);
    const isSeveral = isOne ? found.length > 1 : hasSeveralNames(found);
    if (isSeveral) faults.push(severalColumns(option, found, place));
    else if (found.length === 0 && configColumns?.has(reference) !== true)
      faults.push(unknownColumn(option, reference, finder, place));
    return isSeveral ? [] : found;
  };

  for (const { column: reference, field } of map) {
    const option = `--map ${quoteWord(`${reference}=${field}`)}`;
    for (const column of choose(option, reference, true)) {
      if (mapped.has(column.index))
        faults.push(chosenTwice("mapped-twice", `${option}: another --map already`, column, place));
      else mapped.set(column.index, field);
    }
  }
  const dropped = new Set<number>();
  for (const reference of drop) {
    const option = `--drop ${quoteWord(reference)}`;
    for (const column of choose(option, reference, false)) {
      if (mapped.has(column.index))
        faults.push(chosenTwice("mapped-and-dropped", `${option}: a --map`, column, place));
      dropped.add(column.index);
    }
  }
  const kept = new Set<number>();
  for (const reference of keep) {
    if (finder.find(reference).length === 0) keptFields.push(reference);
    else for (const { index } of choose(`--keep ${quoteWord(reference)}`, reference, false)) kept.add(index);
  }
  return { mapped, dropped, kept: keep.length === 0 ? undefined : kept, keptFields, faults };
}

/** The fault of an option that names no column of the input, with the headers that resemble its name. */
function unknownColumn(
  option: string,
  reference: string,
  finder: ColumnFinder,
  place: ColumnsPlace,
): ColumnFault {
  const near = finder.near(reference).map((column) => showColumn(column, place));
  return {
    kind: "usage",
    code: "unknown-column",
    text: `${option}: there is no such ${place.noun}${near.length > 0 ? `, but ${near.join(", ")}` : ""}`,
    remark: `correct the option, or leave it out; files with other ${place.noun}s are pushed by a command of their own`,
  };
}

function hasSeveralNames(found: readonly ColumnName[]): boolean {
  return found.some((column) => column.name !== found[0]!.name);
}

function severalColumns(option: string, found: readonly ColumnName[], place: ColumnsPlace): ColumnFault {
  const columns = listSome(
    found.map((column) => showColumn(column, place)),
    " and ",
  );
  return {
    kind: "usage",
    code: "ambiguous-column",
    text: `${option} could mean ${columns}`,
    remark: place.noun === "column" ? "name the column by its position" : "write the name exactly",
  };
}

function chosenTwice(
  code: "mapped-twice" | "mapped-and-dropped",
  option: string,
  column: ColumnName,
  place: ColumnsPlace,
): ColumnFault {
  const text = `${option} sends ${showColumn(column, place)} to a field`;
  return { kind: "usage", code, text, remark: "leave one of them out" };
}

const MOST_NEAR_HEADERS = 5;
/** If more options than this name no column, they were written for another file. */
const MOST_ANSWERED = 20;

/**
 * Finds the columns that an option names: by exact header, else by normalised header, else by 1-based position. A
 * header that another option names exactly is left to that option.
 */
class ColumnFinder {
  readonly #columns: readonly ColumnName[];
  readonly #takesPositions: boolean;
  readonly #named: ReadonlySet<string>;
  /** Made for the first option that names a column: most commands have none. */
  #groups: ColumnGroups | undefined;
  #answered = 0;

  constructor(columns: readonly ColumnName[], takesPositions: boolean, references: Iterable<string> = []) {
    this.#columns = columns;
    this.#takesPositions = takesPositions;
    this.#named = new Set(references);
  }

  /** Several columns only if these have the same name; none if there is no such name. */
  find(reference: string): readonly ColumnName[] {
    this.#groups ??= groupColumns(this.#columns, this.#named);
    const { byName, byNormal, byPosition } = this.#groups;
    const named = byName.get(reference) ?? byNormal.get(normaliseName(reference));
    if (named !== undefined) return named;
    if (!this.#takesPositions || !/^[0-9]+$/.test(reference)) return [];
    return byPosition.get(Number(reference)) ?? [];
  }

  /**
   * The columns whose headers most resemble a text, the closest first; if none does, all columns of a small file. Only
   * the first questions get an answer, because each one looks at every column.
   */
  near(text: string): readonly ColumnName[] {
    if (this.#answered++ >= MOST_ANSWERED) return [];
    const wanted = normaliseName(text);
    const named = this.#columns.filter((column) => column.normal !== "");
    const near = named
      .map((column) => ({ column, edits: distance(column.normal, wanted) }))
      .filter(({ edits }) => edits <= 2)
      .toSorted((left, right) => left.edits - right.edits)
      .map(({ column }) => column);
    const shown = near.length > 0 || named.length > MOST_NEAR_HEADERS ? near : named;
    return shown.slice(0, MOST_NEAR_HEADERS);
  }
}

/** Columns by what an option may call them. */
interface ColumnGroups {
  readonly byName: ReadonlyMap<string, readonly ColumnName[]>;
  readonly byNormal: ReadonlyMap<string, readonly ColumnName[]>;
  readonly byPosition: ReadonlyMap<number, readonly ColumnName[]>;
}

function groupColumns(columns: readonly ColumnName[], named: ReadonlySet<string>): ColumnGroups {
  return {
    byName: group(columns, ({ name }) => name),
    byNormal: group(columns, ({ name, normal }) => (normal === "" || named.has(name) ? undefined : normal)),
    byPosition: group(columns, ({ name, position }) => (isMarkerColumn(name) ? undefined : position)),
  };
}

/** Groups the columns by key; a column without a key is left out. */
function group<K>(
  columns: readonly ColumnName[],
  key: (column: ColumnName) => K | undefined,
): ReadonlyMap<K, readonly ColumnName[]> {
  const groups = new Map<K, ColumnName[]>();
  for (const column of columns) {
    const at = key(column);
    if (at === undefined) continue;
    const alike = groups.get(at);
    if (alike === undefined) groups.set(at, [column]);
    else alike.push(column);
  }
  return groups;
}

// A name that is part of the other counts as one edit away: `montant` and `montant ht`.
function distance(left: string, right: string): number {
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length >= 3 && long.includes(short) ? 1 : countEdits(left, right);
}
