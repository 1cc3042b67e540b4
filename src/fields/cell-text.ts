import { FaultyCell, JsonNumber, NestedValue, type Cell } from "../model/row.ts";

/**
 * A cell as the file writes it; `undefined` for JSON null, a member that the record does not have, and nested values.
 */
export function cellText(cell: Cell): string | undefined {
  if (typeof cell === "string") return cell;
  if (cell instanceof JsonNumber) return cell.source;
  if (cell instanceof FaultyCell) return cell.text;
  return typeof cell === "boolean" ? String(cell) : undefined;
}

/** A cell for a message: like {@link cellText}, but `null`, `{...}`, `[...]` for cells without text. */
export function showCell(cell: Cell): string {
  if (cell instanceof NestedValue) return cell.what === "object" ? "{...}" : "[...]";
  return cellText(cell) ?? "null";
}
