import { JsonNumber, NestedValue, type Cell } from "../model/row.ts";
import { CUT_NUMBER, findDamage, isNoValue } from "./damage.ts";
import { undoFormulaText } from "./digits.ts";
import { expandJsonNumber } from "./json-number.ts";
import { trimSpaces } from "./spaces.ts";
import type { Unreadable } from "./value.ts";

/**
 * Reads the key of a record; `undefined` where the cell is blank, which makes the row a create. What may once have
 * been a key, or stand for none, is refused.
 */
export function readKey(cell: Cell): string | undefined | Unreadable {
  if (typeof cell === "string") return readText(cell);
  if (cell === null || cell === undefined) return undefined;
  if (cell instanceof JsonNumber) return readWholeNumber(cell);
  if (cell instanceof NestedValue) return { reason: `the ${cell.what} is not a key` };
  return { reason: `${String(cell)} is not a key` };
}

function readText(cell: string): string | undefined | Unreadable {
  const trimmed = trimSpaces(cell);
  const key = trimmed.charCodeAt(0) === 0x3d ? undoFormulaText(trimmed) : trimmed;
  if (key === "") return undefined;
  const reason = refuseKey(key);
  return reason === undefined ? key : { reason };
}

function refuseKey(key: string): string | undefined {
  const first = key.charCodeAt(0);
  if (isCutNumber(key)) return CUT_NUMBER;
  if (first === 0x23 || key.length <= 9) {
    const damage = findDamage(key);
    if (damage !== undefined) return damage;
    // Taken as a key it would make one record out of many.
    if (isNoValue(key)) return "it stands for no value, and whether the row is a create is not certain";
  }
  return undefined;
}

/** True for `5.5E+05` and `5.5E11`. `5E11` may be a name: no program writes a number so. */
function isCutNumber(key: string): boolean {
  const first = key.charCodeAt(0);
  if (!(first >= 0x30 && first <= 0x39) && first !== 0x2b && first !== 0x2d) return false;
  return /^[+-]?\d+(?:[.,]\d+[eE][+-]?|[eE][+-])\d+$/.test(key);
}

function readWholeNumber({ source }: JsonNumber): string | Unreadable {
  const text = expandJsonNumber(source);
  if (text === undefined) return { reason: "its exponent is too large" };
  const whole = text.replace(/\.0+$/, "");
  return whole.includes(".") || whole === "-0" ? { reason: "it is not a whole number" } : whole;
}
