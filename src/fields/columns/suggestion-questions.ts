import { showCount } from "../../model/quantities.ts";
import { mapOption, showColumn, type ColumnFault, type ColumnsPlace, type ReferTo } from "./column-faults.ts";
import type { LookAt } from "./column-look.ts";
import type { FieldOptions } from "../field-options.ts";
import { KEY_FIELD, typeOfField } from "./known-fields.ts";
import { nullOption, type DeclareOf } from "./other-columns.ts";
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
    declareOf,
    options,
  }: {
    readonly place: ColumnsPlace;
    readonly lookAt: LookAt;
    readonly referTo: ReferTo;
    readonly declareOf: DeclareOf;
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
export function keyQuestions(
  keys: readonly PlannedColumn[],
  {
    place,
    lookAt,
    referTo,
    declareOf,
    options,
  }: {
    readonly place: ColumnsPlace;
    readonly lookAt: LookAt;
    readonly referTo: ReferTo;
    readonly declareOf: DeclareOf;
    readonly options: FieldOptions;
  },
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
