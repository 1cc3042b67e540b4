import { type Cell, expandJsonNumber, JsonNumber, UnusableCell } from "../model/rows.ts";
import { CUT_NUMBER, findDamage, hasExponent } from "./key.ts";
import { trimSpaces, undoSpreadsheetText } from "./spreadsheet-text.ts";
import { refuseOther, refuseText, type Unreadable } from "./type-text.ts";

const DIGITS = /^\d+$/;
/** Groups of three after one kind of space: plain, no-break, narrow no-break or thin. */
const GROUPED = /^\d{1,3}([ \u00a0\u202f\u2009])\d{3}(?:\1\d{3})*$/;

/**
 * Reads a number that is used as a name, such as an order number: ASCII digits, leading zeros kept. Only what can be
 * undone without loss is undone: outer spaces, `="00123"`, a leading `'`, grouping by one kind of space, one or two
 * zero decimals.
 */
export function readDigits(cell: Cell): string | Unreadable {
  if (typeof cell === "string") return readText(trimSpaces(cell));
  if (cell instanceof JsonNumber) return readWholeNumber(cell);
  if (cell instanceof UnusableCell) return cell;
  return refuseOther(cell, "a number");
}

function readText(text: string): string | Unreadable {
  if (DIGITS.test(text)) return text;
  const bare = undoSpreadsheetText(text);
  if (bare !== text) return DIGITS.test(bare) ? bare : { reason: "it holds more than digits" };
  const whole = text.replace(/[.,]00?$/, "");
  if (DIGITS.test(whole)) return whole;
  return GROUPED.test(whole) ? whole.replaceAll(/\D/g, "") : refuseText(text, explainText(text));
}

function readWholeNumber({ source }: JsonNumber): string | Unreadable {
  const text = expandJsonNumber(source);
  if (text === undefined) return { reason: "its exponent is too large" };
  const whole = text.replace(/\.0+$/, "");
  return DIGITS.test(whole) ? whole : { reason: "it is not a whole number without sign" };
}

function explainText(text: string): string {
  if (hasExponent(text)) return CUT_NUMBER;
  const damage = findDamage(text);
  if (damage !== undefined) return damage;
  if (/^[+-]\d+$/.test(text)) return "digits have no sign";
  return /^\d+[.,]\d+$/.test(text) ? "its decimals are not one or two zeros" : "it holds more than digits";
}
