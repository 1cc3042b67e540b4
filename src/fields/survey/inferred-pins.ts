import type { ColumnReport } from "../../model/counts.ts";
import { RecPushError } from "../../model/failure.ts";
import { joinFailures } from "../../model/join-failures.ts";
import type { Pin } from "../../model/reading.ts";
import type { ColumnsPlace, PlannedColumn } from "../columns/column-faults.ts";
import { KEY_FIELD } from "../columns/other-columns.ts";
import type { FieldOptions } from "../field-options.ts";
import type { ExaminedField } from "../record/examine-row.ts";
import { type ConstantValues, examinedField, type FieldSpec, keySpec, takeBy } from "../record/field-plan.ts";
import { showCell } from "../spreadsheet-text.ts";
import { type FieldType, isDateFormat, spellType } from "../type-text.ts";
import type { ColumnWatch } from "./column-watch.ts";
import type { InvalidRows } from "./invalid-rows.ts";
import { settleColumns } from "./settle.ts";
import type { ColumnFormat } from "./typed-column.ts";
import type { SurveyedColumns } from "./surveyed-columns.ts";

/**
 * The options that would pin what the values settled, so that the next file of this kind cannot be read differently.
 */
export function inferredPins(
  settled: readonly SettledColumn[],
  { otherTypes }: Pick<FieldOptions, "otherTypes">,
): Pin[] {
  const types = [...(otherTypes ?? [])].map(([field, { kind }]): Pin => ({
    what: "type",
    option: `--type ${field}=${kind}`,
    because: `most values of ${field} read as ${kind}s`,
  }));
  return [...types, ...datePins(inferred(settled, "date")), ...decimalPins(settled)];
}

interface Inferred {
  readonly field: string;
  readonly type: FieldType;
  readonly format: string;
  readonly settledBy: string;
}

function inferred(settled: readonly SettledColumn[], kind: "date" | "amount"): Inferred[] {
  return settled.flatMap(({ watch, settled: format }) =>
    watch.type.kind === kind && format?.inferred === true && format.format !== undefined
      ? [
          {
            field: watch.column.field!,
            type: watch.type,
            format: format.format,
            settledBy: format.settledBy ?? "its values",
          },
        ]
      : [],
  );
}

function datePins(dates: readonly Inferred[]): Pin[] {
  const [first] = dates;
  if (first === undefined) return [];
  if (dates.every(({ format }) => format === first.format)) {
    return [{ what: "date", option: `--date-format ${first.format}`, because: because(dates) }];
  }
  return dates.flatMap((date) => {
    const { field, type, format } = date;
    if (!isDateFormat(format)) return [];
    const option = `--type ${field}=${spellType({ ...type, kind: "date", format })}`;
    return [{ what: "date", option, because: because([date]) }];
  });
}

/** One option for all columns only if each has shown its mark: an open one may be written otherwise tomorrow. */
function decimalPins(settled: readonly SettledColumn[]): Pin[] {
  const amounts = inferred(settled, "amount");
  const [first] = amounts;
  if (first === undefined) return [];
  const isOpen = settled.some(
    ({ watch, settled: found }) => watch.type.kind === "amount" && found?.format === undefined,
  );
  if (!isOpen && amounts.every((amount) => decimalOf(amount) === decimalOf(first))) {
    return [{ what: "decimal", option: `--decimal ${decimalOf(first)}`, because: because(amounts) }];
  }
  return amounts.map((amount) => ({
    what: "decimal",
    option: `--type ${amount.field}=${spellType({ ...amount.type, kind: "amount", decimal: decimalOf(amount) })}`,
    because: because([amount]),
  }));
}

function decimalOf({ format }: Inferred): "," | "." {
  return format.includes("comma") ? "," : ".";
}

function because(columns: readonly Inferred[]): string {
  return columns.map(({ field, settledBy }) => `${field} is settled by ${settledBy}`).join(", ");
}

const SETTINGS: Readonly<Record<string, string>> = {
  "--decimal": "decimal",
  "--date-format": "dateFormat",
  "--time-zone": "timeZone",
};

/** Describes for the user how a column is used; a used column has samples, as read and as sent. */
export function reportColumn(
  column: PlannedColumn,
  used: SettledColumn | undefined,
  options: FieldOptions,
): ColumnReport {
  const samples = (used?.watch.samples ?? []).flatMap((cell) => {
    const after = used!.examined.take(cell, 0);
    return typeof after === "string" ? [{ before: showCell(cell), after }] : [];
  });
  return {
    column: column.index + 1,
    header: column.header,
    field: used === undefined ? undefined : column.field,
    ...(column.use === "undecided" && { isUndeclared: true }),
    type: used?.watch.type.kind,
    isOther: used !== undefined && column.isOther,
    format: used?.settled?.format,
    settledBy: nameSource(used?.settled?.settledBy, column.field, options),
    samples,
  };
}

/** If the config gives an option and the command line does not, the config is named as its source. */
function nameSource(
  settledBy: string | undefined,
  field: string | undefined,
  { types, configured }: FieldOptions,
): string | undefined {
  const setting = settledBy === undefined ? undefined : SETTINGS[settledBy];
  const isConfigured =
    settledBy === "--type"
      ? field !== undefined && !types.has(field)
      : setting !== undefined && configured?.has(setting);
  return isConfigured ? "the config" : settledBy;
}

/** A watched column whose format is settled. */
export interface SettledColumn {
  readonly watch: ColumnWatch;
  /** `undefined` for text and for the key. */
  readonly settled: ColumnFormat | undefined;
  readonly spec: FieldSpec;
  readonly examined: ExaminedField;
}

/** Settles the formats of all columns together: the other columns decide for one that has no evidence of its own. */
function settleFields(
  watches: readonly ColumnWatch[],
  options: FieldOptions,
  constants: ConstantValues,
  place: ColumnsPlace,
): SettledColumn[] {
  const typed = watches.flatMap((watch) => watch.typed ?? []);
  const formats = settleColumns(typed, options.pins, place);
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

/** Runs every step, so that all questions are asked at once; throws them as one failure. */
function attemptAll(...steps: readonly (() => void)[]): void {
  const failures: RecPushError[] = [];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      if (!(error instanceof RecPushError)) throw error;
      failures.push(error);
    }
  }
  const failure = joinFailures(failures);
  if (failure !== undefined) throw failure;
}
