import { JsonNumber, UnusableCell, type Cell } from "../model/row.ts";
import type { Unreadable } from "./value.ts";

/** Reads text as it is, never trimmed; numbers keep their source digits, JSON true and false stay as written. */
export function readText(cell: Cell): string | Unreadable {
  if (typeof cell === "string") return cell;
  if (cell instanceof JsonNumber) return cell.source;
  if (cell instanceof UnusableCell) return cell;
  return String(cell);
}
