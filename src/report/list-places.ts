import { cellName } from "../model/cell-name.ts";

/** What the places of problems are, and their names. */
export interface NamedPlaces {
  readonly noun: "lines" | "cells" | "records";
  readonly names: readonly string[];
}

/**
 * The places of problems that are alike: their lines; with the column of a workbook the names of cells (`C12`); records
 * where lines do not tell which they are.
 */
export function namePlaces(
  sheetColumn: number | undefined,
  { lines, records }: { readonly lines: readonly number[]; readonly records?: readonly number[] | undefined },
): NamedPlaces {
  if (sheetColumn !== undefined)
    return { noun: "cells", names: lines.map((line) => cellName(sheetColumn, line)) };
  return records === undefined
    ? { noun: "lines", names: lines.map(String) }
    : { noun: "records", names: records.map(String) };
}
