import { isTabular, type ReadingSoFar } from "../../model/reading.ts";
import { referToSheets } from "../../model/refer-to-sheets.ts";
import type { ColumnsPlace } from "./column-faults.ts";

/** Where the columns of an input are, for messages about them. */
export function columnsPlace(reading: ReadingSoFar): ColumnsPlace {
  const { file, format, dialect, headerless, jsonPath, sheet, otherSheets } = reading;
  return {
    file,
    headerLine: dialect?.headerLine,
    isHeaderless: headerless,
    isSheet: format === "xlsx",
    noun: isTabular(format) ? "column" : "member",
    isInAnswer: jsonPath !== undefined,
    isOneALine: format === "ndjson",
    aside: sheet === undefined || otherSheets === undefined ? undefined : referToSheets(sheet, otherSheets),
  };
}
