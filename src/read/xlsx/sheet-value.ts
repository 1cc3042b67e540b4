import { JsonNumber, type Cell } from "../../model/row.ts";
import { readFault } from "./cell-fault.ts";

const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;

/** The value of a cell of a sheet that is no text, as it is written among the rows. */
export function readSheetValue(text: string): Cell {
  const first = text.charCodeAt(0);
  if ((first >= ZERO && first <= NINE) || first === MINUS) return new JsonNumber(text);
  if (text === "true" || text === "false") return text === "true";
  return readFault(text);
}
