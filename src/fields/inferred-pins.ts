import type { Notice, Pin } from "../model/reading.ts";
import type { SettledColumn } from "./settled-fields.ts";

/** The options that would fix what the values settled, so that the next file of this kind cannot be read otherwise. */
export function inferredPins(settled: readonly SettledColumn[]): Pin[] {
  return [...datePins(inferred(settled, "date")), ...decimalPins(inferred(settled, "amount"))];
}

/** What a person should know where no option can fix what was inferred. */
export function unpinnableNotices(settled: readonly SettledColumn[]): Notice[] {
  const amounts = inferred(settled, "amount");
  if (new Set(amounts.map(decimalOf)).size < 2) return [];
  const list = amounts.map(({ field, format }) => `${field} (${format})`).join(", ");
  return [
    {
      text: `the amount columns differ in their decimal mark, and --decimal holds for all of them: ${list}`,
      isInferred: true,
    },
  ];
}

interface Inferred {
  readonly field: string;
  readonly format: string;
  readonly settledBy: string;
}

function inferred(settled: readonly SettledColumn[], kind: "date" | "amount"): Inferred[] {
  return settled.flatMap(({ watch, settled: format }) =>
    watch.type.kind === kind && format?.inferred === true && format.format !== undefined
      ? [{ field: watch.column.field!, format: format.format, settledBy: format.settledBy ?? "its values" }]
      : [],
  );
}

function datePins(dates: readonly Inferred[]): Pin[] {
  const [first] = dates;
  if (first === undefined) return [];
  if (dates.every(({ format }) => format === first.format)) {
    return [{ what: "date", option: `--date-format ${first.format}`, because: because(dates) }];
  }
  return dates.map((date) => ({
    what: "date",
    option: `--type ${date.field}=date:${date.format}`,
    because: because([date]),
  }));
}

// One decimal mark for all columns is all that an option can say.
function decimalPins(amounts: readonly Inferred[]): Pin[] {
  const marks = new Set(amounts.map(decimalOf));
  return marks.size === 1
    ? [{ what: "decimal", option: `--decimal ${[...marks][0]}`, because: because(amounts) }]
    : [];
}

function decimalOf({ format }: Inferred): "," | "." {
  return format.includes("comma") ? "," : ".";
}

function because(columns: readonly Inferred[]): string {
  return columns.map(({ field, settledBy }) => `${field} is settled by ${settledBy}`).join(", ");
}
