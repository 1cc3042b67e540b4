import { cellName } from "../model/cell-name.ts";

/** Lines, or with the column of a workbook the names of cells: `2, 5`, `C2, C5`. */
export function listPlaces(sheetColumn: number | undefined, lines: readonly number[]): string {
  return lines.map((line) => (sheetColumn === undefined ? line : cellName(sheetColumn, line))).join(", ");
}
