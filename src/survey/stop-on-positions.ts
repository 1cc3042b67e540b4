import { type ColumnName, nameColumns } from "../fields/columns/column-names.ts";
import type { FieldOptions } from "../fields/field-options.ts";
import { RecPushError } from "../model/failure.ts";
import { isTabular } from "../model/reading.ts";
import { quoteText, showText } from "../model/visible-text.ts";
import type { SurveyedInput } from "./survey-input.ts";

interface Named {
  readonly file: string;
  readonly columns: readonly ColumnName[];
}

/**
 * The failure if options name a column by a position at which the files of the command have different columns: one
 * that stands there in one file stands elsewhere in another.
 */
export function stopOnPositions(
  inputs: readonly SurveyedInput[],
  { map, drop, keep }: FieldOptions,
): RecPushError | undefined {
  const files = inputs
    .filter(({ report: { reading } }) => isTabular(reading.format) && !reading.headerless)
    .map(({ source, report }) => ({
      file: source.name,
      columns: nameColumns(report.columns.map(({ header }) => header)),
    }));
  const references = [...map.map(({ column }) => column), ...drop, ...keep];
  const positions = new Set(references.filter((reference) => /^[0-9]+$/.test(reference)));
  for (const position of positions) {
    for (const one of files) {
      const column = columnAt(one, position);
      if (column === undefined) continue;
      const other = files.find((file) => isElsewhere(column, file, position));
      if (other !== undefined) return differing(position, [one, column], [other, columnAt(other, position)]);
    }
  }
  return undefined;
}

/** A header that is the number itself takes precedence over the position. */
function columnAt({ columns }: Named, position: string): ColumnName | undefined {
  if (columns.some(({ name }) => name === position)) return undefined;
  return columns.find((column) => column.position === Number(position) && column.normal !== "");
}

/** True if a file has a column of that name, and another one at the position. */
function isElsewhere({ normal }: ColumnName, file: Named, position: string): boolean {
  const there = columnAt(file, position);
  return there !== undefined && there.normal !== normal && file.columns.some((own) => own.normal === normal);
}

function differing(
  position: string,
  [one, column]: readonly [Named, ColumnName],
  [other, there]: readonly [Named, ColumnName | undefined],
): RecPushError {
  const names = [
    `${quoteText(column.name)} in ${showText(one.file)}`,
    `${quoteText(there?.name ?? "")} in ${showText(other.file)}`,
  ];
  return new RecPushError(
    "usage",
    "contradicting-options",
    `column ${position}, which options name by its position, is ${names.join(", and ")}; nothing was sent`,
    { hint: "name it by its header, or push the files one after the other, each with options of its own" },
  );
}
