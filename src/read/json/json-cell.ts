import { JsonNumber, NestedValue, UnusableCell, type Cell } from "../../model/row.ts";
import type { JsonScalar } from "./json-listener.ts";
import type { JsonScanner } from "./json-scan.ts";

/** The cell for the scalar at which the scanner is. */
export function readCell(scanner: JsonScanner, type: JsonScalar): Cell {
  switch (type) {
    case "string":
      return scanner.token.text();
    case "number":
      return new JsonNumber(scanner.token.text());
    case "null":
      return null;
    case "true":
      return true;
    case "false":
      return false;
  }
}

/** The text by which a member named like a failure is judged; a nested value means a failure. */
export function textOf(cell: Cell): string {
  if (cell instanceof UnusableCell) return cell instanceof NestedValue ? cell.what : "";
  return cell instanceof JsonNumber ? cell.source : String(cell ?? "");
}
