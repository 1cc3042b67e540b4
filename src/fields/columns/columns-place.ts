import { isTabular, type Reading } from "../../model/reading.ts";
import type { ColumnsPlace } from "./column-faults.ts";

/** Where the columns of an input are, for messages about them. */
export function columnsPlace({ file, format, dialect, headerless, jsonPath }: Reading): ColumnsPlace {
  return {
    file,
    headerLine: dialect?.headerLine,
    isHeaderless: headerless,
    isSheet: format === "xlsx",
    noun: isTabular(format) ? "column" : "member",
    isInAnswer: jsonPath !== undefined,
    isOneALine: format === "ndjson",
  };
}
