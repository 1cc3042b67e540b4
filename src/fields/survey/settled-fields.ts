import type { ColumnsPlace } from "../columns/column-faults.ts";
import { attemptAll } from "./attempt-all.ts";
import type { InvalidRows } from "./invalid-rows.ts";
import type { SurveyedColumns } from "./surveyed-columns.ts";
import { RecPushError } from "../../model/failure.ts";
import type { ColumnWatch } from "./column-watch.ts";
import type { ConstantValues } from "../record/constant-values.ts";
import type { ExaminedField } from "../record/examined-field.ts";
import type { FieldOptions } from "../field-options.ts";
import { examinedField, keySpec, takeBy, type FieldSpec } from "../record/field-plan.ts";
import { KEY_FIELD } from "../columns/known-fields.ts";
import { settleColumns } from "./settle.ts";
import type { SettledFormat } from "./settled-format.ts";

/** A watched column whose format is settled. */
export interface SettledColumn {
  readonly watch: ColumnWatch;
  /** `undefined` for text and for the key. */
  readonly settled: SettledFormat | undefined;
  readonly spec: FieldSpec;
  readonly examined: ExaminedField;
}

/** Settles the formats of all columns together: the other columns decide for one that has no evidence of its own. */
export function settleFields(
  watches: readonly ColumnWatch[],
  options: FieldOptions,
  constants: ConstantValues,
  place: ColumnsPlace,
): SettledColumn[] {
  const typed = watches.flatMap((watch) => watch.typed ?? []);
  const formats = settleColumns(typed, options.pins, place, options.today);
  const formatOf = new Map(typed.map((column, index) => [column, formats[index]!]));
  return watches.map((watch) => {
    const settled = watch.typed === undefined ? undefined : formatOf.get(watch.typed);
    const spec = settled?.spec ?? unsettledSpec(watch, options);
    return { watch, settled, spec, examined: examinedField(watch.column, options, constants, takeBy(spec)) };
  });
}

/** As {@link settleFields}, with all questions at once, and the values that are invalid whatever the answers are. */
export function settleAll(
  columns: SurveyedColumns,
  options: FieldOptions,
  constants: ConstantValues,
  place: ColumnsPlace,
  invalid: InvalidRows,
): SettledColumn[] {
  let settled: SettledColumn[] = [];
  try {
    attemptAll(
      () => columns.count > 0 && columns.judge(),
      () => (settled = settleFields(columns.watches, options, constants, place)),
    );
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    throw error.withProblems(invalid.lasting());
  }
  return settled;
}

// If nothing has to be settled, both passes read the cells in the same way.
function unsettledSpec({ column, type }: ColumnWatch, { pins }: FieldOptions): FieldSpec {
  if (column.field === KEY_FIELD) return keySpec(pins);
  return { kind: type.kind === "digits" ? "digits" : "text" };
}
