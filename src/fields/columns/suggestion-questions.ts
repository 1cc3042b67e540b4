import { showCount } from "../../model/quantities.ts";
import { quoteWord } from "../../model/shell-word.ts";
import { mapOption, showColumn, type ColumnFault, type ColumnsPlace, type ReferTo } from "./column-faults.ts";
import type { ColumnLook, LookAt } from "./column-look.ts";
import { makeIdentifier } from "./column-names.ts";
import type { FieldOptions } from "../field-options.ts";
import { KEY_FIELD, typeOfField } from "./known-fields.ts";
import { nullOption } from "./other-columns.ts";
import type { PlannedColumn } from "./planned-column.ts";

const NOUNS = { text: "texts", digits: "digits", amount: "amounts", date: "dates" } as const;

/**
 * Asks about each column that seems to be a declared field without a column. If several columns seem to be the same
 * field, only the user can say which one it is.
 */
export function suggestedFields(
  byField: ReadonlyMap<string, readonly PlannedColumn[]>,
  {
    place,
    lookAt,
    referTo,
    options,
  }: {
    readonly place: ColumnsPlace;
    readonly lookAt: LookAt;
    readonly referTo: ReferTo;
    readonly options: FieldOptions;
  },
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
    const ownField = makeIdentifier(only!.name);
    const { kind } = typeOfField(field, options);
    const look = lookAt(only!);
    const misfits = look?.misfits[kind] ?? 0;
    if (misfits > 0 && ownField !== undefined) {
      const own = mapOption(referTo(only!), ownField);
      return {
        kind: "input",
        code: "near-miss",
        text: `${shown} has a name like the field ${field}, and ${showCount(misfits, "value")} of ${look!.filled.toLocaleString("en")} ${misfits === 1 ? "does" : "do"} not fit it (${NOUNS[kind]}): is it that field?`,
        answers: [own, maps[0]!],
        remark: `${own} sends it under its own name, ${maps[0]!} if those cells are to be mended`,
      };
    }
    return {
      kind: "input",
      code: "near-miss",
      text: `${shown} looks like the field ${field}, which has no ${place.noun}: is it that field?`,
      options: [...maps, ...nullOption(kind, look)],
      remark:
        ownField === undefined
          ? undefined
          : `${mapOption(referTo(only!), ownField)} sends it under its own name`,
    };
  });
}

/** Asks for each column with the name of a key whether it is the key, and says what each answer does. */
export function keyQuestions(
  keys: readonly PlannedColumn[],
  {
    place,
    lookAt,
    referTo,
  }: { readonly place: ColumnsPlace; readonly lookAt: LookAt; readonly referTo: ReferTo },
): ColumnFault[] {
  return keys.map((column) => {
    const reference = referTo(column);
    const look = lookAt(column);
    const updates = look?.filled ?? 0;
    const creates = (look?.rows ?? 0) - updates;
    const isKey = mapOption(reference, KEY_FIELD);
    const other = `--map ${quoteWord(`${reference}=${makeIdentifier(column.name) ?? "field"}`)}`;
    const counts = (update: number, create: number): string =>
      look === undefined
        ? ""
        : `: ${showCount(update, "update")}${update > 0 ? showRepeated(look) : ""}, ${showCount(create, "create")}`;
    return {
      kind: "input",
      code: "near-miss",
      text: `${showColumn(column, place)} may be the key ${KEY_FIELD}, which has no ${place.noun}: is it?`,
      answers: [isKey, other],
      effects: [`the key${counts(updates, creates)}`, `a field like others${counts(0, updates + creates)}`],
      remark: `if it is the key, ${isKey}${counts(updates, creates)}; if not, ${other}${counts(0, updates + creates)}`,
    };
  });
}

/** An update that has the key of an earlier row replaces what that one wrote. */
function showRepeated({ repeated }: ColumnLook): string {
  return repeated === 0
    ? ""
    : ` (${repeated.toLocaleString("en")} with the same key as an earlier row: the last one stays)`;
}
