import { RecPushError } from "../../model/failure.ts";
import { isTabular, type ReadingSoFar } from "../../model/reading.ts";
import { faultsError } from "../columns/column-faults.ts";
import { nameColumns } from "../columns/column-names.ts";
import { planColumns } from "../columns/column-plan.ts";
import { KEY_FIELD, typeOfField, undeclaredType } from "../columns/known-fields.ts";
import type { PlannedColumn } from "../columns/planned-column.ts";
import { columnsPlace } from "../columns/columns-place.ts";
import { readConstants } from "./constant-values.ts";
import type { FieldOptions } from "../field-options.ts";
import { buildPlan, keySpec, type FieldPlan, type FieldSpec } from "./field-plan.ts";
import { pinnedFormat } from "../survey/settle.ts";

/**
 * The plan of a CSV whose formats are all fixed by options, so that no survey is needed. Throws RecPushError: `usage`
 * if something is not pinned, or if the input is JSON, whose members are known only once all of it was read.
 */
export function planWithoutSurvey(reading: ReadingSoFar, options: FieldOptions): FieldPlan {
  const place = columnsPlace(reading);
  if (!isTabular(reading.format)) {
    throw new RecPushError(
      "usage",
      "no-survey-json",
      `${reading.file} is JSON: its members are known only after a survey`,
      {
        hint: "leave --no-survey out",
      },
    );
  }
  const names = nameColumns(reading.columns);
  const { columns, faults: findFaults } = planColumns(names, options, place);
  const faults = findFaults();
  if (faults.length > 0) throw faultsError(faults, place);
  const constants = readConstants(options);
  const used = columns.filter(({ use }) => use === "field");
  refuseByValues(used);
  const specs = used.map((column) => pinnedSpec(column, options));
  const unpinned = used.filter((_, at) => specs[at] === undefined);
  if (unpinned.length > 0) throw notPinned(unpinned, options);
  const { file, noun } = place;
  return buildPlan({ file, noun, columns, specs: specs.map((spec) => spec!), options }, constants);
}

// As text, a date would be sent as the file writes it.
function refuseByValues(used: readonly PlannedColumn[]): void {
  const open = used.filter(({ isOther, field }) => isOther && undeclaredType(field!).kind === "text");
  if (open.length === 0) return;
  const fields = open.map(({ field }) => field).join(", ");
  const message = `--no-survey needs every type pinned; not declared: ${fields}`;
  throw new RecPushError("usage", "not-pinned", message, {
    hint: `add ${open.map(({ field }) => `--type ${field}=text`).join(" ")}, or the types that they have; or leave --no-survey out`,
  });
}

function pinnedSpec({ field }: PlannedColumn, options: FieldOptions): FieldSpec | undefined {
  if (field === KEY_FIELD) return keySpec(options.pins);
  return pinnedFormat(typeOfField(field!, options), options.pins, field)?.spec;
}

function notPinned(columns: readonly PlannedColumn[], options: FieldOptions): RecPushError {
  const kinds = new Set(columns.map(({ field }) => typeOfField(field!, options).kind));
  const wanted = [
    kinds.has("date") ? ["--date-format DD/MM/YYYY"] : [],
    kinds.has("amount") ? ["--decimal ,"] : [],
  ].flat();
  const fields = columns.map(({ field }) => field).join(", ");
  return new RecPushError(
    "usage",
    "not-pinned",
    `--no-survey needs every format pinned; not pinned: ${fields}`,
    {
      hint: `add ${wanted.join(" and ")}, or what your file has; or leave --no-survey out`,
    },
  );
}
