import type { Pin } from "../../model/reading.ts";
import type { FieldOptions } from "../field-options.ts";
import type { SettledColumn } from "./settled-fields.ts";
import { isDateFormat, spellType } from "../type-text.ts";
import type { FieldType } from "../value.ts";

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
