import type { ColumnReport, SurveyReport } from "../model/event.ts";
import type { Pin, Reading } from "../model/reading.ts";
import { showCount, showInteger } from "../model/quantities.ts";
import { showText } from "../model/visible-text.ts";

/** `orders.csv: CSV with ";", windows-1252, 1,203 rows: 1,200 updates, 3 creates (rows without cle)` */
export function describeSurvey(survey: SurveyReport): string {
  const { reading, counts } = survey;
  const about = `${showText(reading.file)}: ${describeReading(reading)}`;
  const { rows, updates, creates, skipped, invalid } = counts;
  const parts = [
    showCount(updates, "update"),
    `${showCount(creates, "create")}${creates > 0 ? " (rows without cle)" : ""}`,
  ];
  if (skipped > 0) parts.push(`${showInteger(skipped)} with nothing to send`);
  if (invalid > 0) parts.push(`${showInteger(invalid)} invalid`);
  return `${about}, ${showCount(rows, "row")}: ${parts.join(", ")}`;
}

/** `CSV with ";", windows-1252, header in line 3` */
export function describeReading({ format, dialect, encoding, sheet, jsonPath, headerless }: Reading): string {
  switch (format) {
    case "csv": {
      const header = headerless ? "no header" : `header in line ${dialect?.headerLine ?? 1}`;
      return `CSV with ${showDelimiter(dialect?.delimiter ?? ",")}, ${encoding}, ${header}`;
    }
    case "xlsx": {
      const header = headerless ? "no header" : `header in row ${dialect?.headerLine ?? 1}`;
      return `Excel, sheet "${showText(sheet ?? "")}", ${header}`;
    }
    case "json":
    case "ndjson": {
      const where = jsonPath === undefined ? "" : ` (records in "${showText(jsonPath)}")`;
      return `${format.toUpperCase()}${where}, ${encoding}`;
    }
  }
}

function showDelimiter(delimiter: string): string {
  return delimiter === "\t" ? "tab" : `"${delimiter}"`;
}

/** `date_billed: DD/MM/YYYY, settled by line 412 "26/03/2024"`, for each column whose format had to be settled. */
export function describeFormats(columns: readonly ColumnReport[]): string[] {
  return columns.flatMap(({ field, format, settledBy }) =>
    field === undefined || format === undefined
      ? []
      : [`${field}: ${format}${settledBy === undefined ? "" : `, settled by ${settledBy}`}`],
  );
}

/** `--encoding windows-1252 --date-format DD/MM/YYYY`, ready to paste; `undefined` if everything is pinned. */
export function joinPins(pins: readonly Pin[]): string | undefined {
  return pins.length === 0 ? undefined : [...new Set(pins.map(({ option }) => option))].join(" ");
}

const NOT_DECLARED = "not declared, always empty: a push asks about it once it holds a value";

/** `3  Date Facturation -> date_billed, date DD/MM/YYYY (settled by line 412 "26/03/2024")` and a line of values. */
export function describeColumn(column: ColumnReport): string[] {
  const { field, isUndeclared = false, type, format, settledBy, samples } = column;
  const header = `${column.column}  ${showText(column.header) || "(no name)"}`;
  if (field === undefined) return [`${header} -> ${isUndeclared ? NOT_DECLARED : "left out"}`];
  const settled = settledBy === undefined ? "" : ` (settled by ${settledBy})`;
  const values = samples.map(({ before, after }) =>
    before === after ? showText(after, 40) : `${showText(before, 40)} -> ${showText(after, 40)}`,
  );
  const first = `${header} -> ${field}, ${type ?? "text"}${format === undefined ? "" : ` ${format}`}${settled}`;
  return values.length === 0 ? [`${first}, always empty`] : [first, `     ${values.join("  |  ")}`];
}
