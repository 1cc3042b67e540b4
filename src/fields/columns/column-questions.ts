import {
  mapOption,
  referToColumns,
  showColumn,
  type ColumnFault,
  type ColumnsPlace,
  type ReferTo,
} from "./column-faults.ts";
import { isIdentifier, suggestField } from "./column-names.ts";
import type { PlannedColumn } from "./planned-column.ts";
import type { FieldOptions } from "../field-options.ts";
import { KEY_FIELD, type KnownFields } from "./known-fields.ts";
import { NearMisses } from "./near-miss.ts";

// What other systems call the identifier of a record.
const KEY_WORDS: ReadonlySet<string> = new Set(["id", "key"]);

/** What the planned columns leave open, so that only the user can say: each is a fault that stops the run. */
export function columnQuestions(
  columns: readonly PlannedColumn[],
  known: KnownFields,
  options: FieldOptions,
  place: ColumnsPlace,
): ColumnFault[] {
  const taken = takenFields(columns);
  const free = [...known.names].filter((field) => !taken.has(field));
  const isKeyFree = free.includes(KEY_FIELD);
  const near = new NearMisses(free);
  const missed = new Map(
    columns.flatMap((column) => {
      const field = missedField(column, known, isKeyFree, near);
      return field === undefined ? [] : [[column, field] as const];
    }),
  );
  const referTo = referToColumns(columns, place);
  return [
    ...sharedNames(columns, place),
    ...sharedFields(columns, place, referTo),
    ...nearMissFaults(missed, columns, place, referTo),
    ...unmatchedColumns(columns, (column) => missed.has(column), place, referTo),
    ...overwrittenConstants(columns, options, place, referTo),
    ...missingRequired(columns, options, place),
  ];
}

function sharedNames(columns: readonly PlannedColumn[], place: ColumnsPlace): ColumnFault[] {
  const inQuestion = columns.filter(
    ({ use, isMapped, name }) => use !== "dropped" && !isMapped && name !== "",
  );
  return groups(inQuestion, ({ name }) => name).map((alike) => ({
    kind: "input",
    code: "repeated-header",
    text: `${alike.length} ${place.noun}s have one name: ${alike.map((column) => showColumn(column, place)).join(", ")}`,
    remark:
      place.noun === "member"
        ? "they differ in outer spaces only: rename one in the file"
        : `--drop ${alike[1]!.position} leaves one out, --map ${alike[1]!.position}=field sends it to a field of its own`,
  }));
}

function sharedFields(
  columns: readonly PlannedColumn[],
  place: ColumnsPlace,
  referTo: ReferTo,
): ColumnFault[] {
  const used = columns.filter(({ use }) => use === "field");
  return groups(used, ({ field }) => field!)
    .filter((alike) => alike.some(({ isMapped, name }) => isMapped || name !== alike[0]!.name))
    .map((alike) => {
      const second = referTo(alike[1]!);
      return {
        kind: "input",
        code: "repeated-field",
        text: `${alike.length} ${place.noun}s go to the field ${alike[0]!.field}: ${alike.map((column) => showColumn(column, place)).join(", ")}`,
        remark: `--drop leaves one out, ${mapOption(second, "field")} sends one to a field of its own`,
      };
    });
}

// The field without a column that a header probably means, misspelt.
function missedField(
  column: PlannedColumn,
  known: KnownFields,
  isKeyFree: boolean,
  near: NearMisses,
): string | undefined {
  const isOpen = column.use === "undecided" || (column.use === "field" && !known.names.has(column.field!));
  if (!isOpen || column.isMapped) return undefined;
  return KEY_WORDS.has(column.normal) && isKeyFree ? KEY_FIELD : near.nearest(column.name);
}

// Of several columns that look like one field the first is proposed for it, the others as they are.
function nearMissFaults(
  missed: ReadonlyMap<PlannedColumn, string>,
  columns: readonly PlannedColumn[],
  place: ColumnsPlace,
  referTo: ReferTo,
): ColumnFault[] {
  const taken = takenFields(columns);
  const tried = new Map<string, number>();
  return [...missed].map(([column, field]) => {
    const reference = referTo(column);
    const isProposed = !taken.has(field);
    const ownField = isIdentifier(column.name) ? column.name : undefined;
    const target = isProposed ? field : (ownField ?? suggestField(column, taken, tried));
    taken.add(target);
    return {
      kind: "input",
      code: "near-miss",
      text: `${showColumn(column, place)} looks like the field ${field}, which has no ${place.noun}: is it that field?`,
      options: [mapOption(reference, target)],
      remark:
        isProposed && ownField !== undefined
          ? `${mapOption(reference, ownField)} sends it under its own name`
          : undefined,
    };
  });
}

function takenFields(columns: readonly PlannedColumn[]): Set<string> {
  return new Set(columns.flatMap(({ field }) => field ?? []));
}

function unmatchedColumns(
  columns: readonly PlannedColumn[],
  isAsked: (column: PlannedColumn) => boolean,
  place: ColumnsPlace,
  referTo: ReferTo,
): ColumnFault[] {
  const unmatched = columns.filter((column) => column.use === "undecided" && !isAsked(column));
  if (unmatched.length === 0) return [];
  const taken = takenFields(columns);
  const tried = new Map<string, number>();
  const options = unmatched.map((column) => {
    const field = suggestField(column, taken, tried);
    taken.add(field);
    return mapOption(referTo(column), field);
  });
  const list = unmatched.map((column) => showColumn(column, place)).join(", ");
  const text = place.isHeaderless
    ? "the file has no header, and nobody said which field each column is"
    : `no field is called like ${list}, and such a name cannot be a field`;
  return [
    {
      kind: "input",
      code: "unmatched-columns",
      text,
      options,
      remark: "--drop leaves columns out, --keep sends only those it names",
    },
  ];
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

// Map.groupBy needs a newer Node than the oldest that is supported.
function groups<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const group = found.get(key(item));
    if (group === undefined) found.set(key(item), [item]);
    else group.push(item);
  }
  return [...found.values()].filter((group) => group.length > 1);
}
