import type { ColumnLook, LookAt } from "./column-look.ts";
import { isKeyName, meaningOf } from "./field-words.ts";
import type { FieldOptions } from "../field-options.ts";
import { KEY_FIELD, type KnownFields, typeOfField } from "./known-fields.ts";
import { NearMisses } from "./near-miss.ts";
import type { PlannedColumn } from "./planned-column.ts";

/** Undeclared columns, with the declared field without a column that each seems to be. */
export interface Suggestions {
  /** By spelling or, if nothing is sent unasked, by words. */
  readonly byField: ReadonlyMap<string, readonly PlannedColumn[]>;
  /** Columns whose name is that of a key, and whose values may be keys. */
  readonly keys: readonly PlannedColumn[];
}

/**
 * Finds the field that each open column seems to be: misspelt, or named with other words or in another language. Only
 * if its values can be read as the type of the field.
 */
export function suggestFields(
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
