import { expandJsonNumber } from "../model/json-number.ts";
import { type Cell, JsonNumber, UnusableCell } from "../model/rows.ts";
import { CUT_NUMBER, findDamage, hasExponent } from "./key.ts";
import { isGroupingSpace, trimSpaces, undoSpreadsheetText } from "./spreadsheet-text.ts";
import { refuseOther, refuseText, type Unreadable } from "./type-text.ts";

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
  const end = digitsEnd(text, 0);
  if (end === text.length && end > 0) return text;
  const bare = undoSpreadsheetText(text);
  if (bare !== text) return isDigits(bare) ? bare : { reason: "it holds more than digits" };
  const decimals = countZeroDecimals(text);
  const whole = decimals === 0 ? text : text.slice(0, text.length - decimals - 1);
  if (isDigits(whole)) return whole;
  return joinSpaced(whole) ?? refuseText(text, explainText(text));
}

function readWholeNumber({ source }: JsonNumber): string | Unreadable {
  const text = expandJsonNumber(source);
  if (text === undefined) return { reason: "its exponent is too large" };
  const whole = text.replace(/\.0+$/, "");
  return isDigits(whole) ? whole : { reason: "it is not a whole number without sign" };
}

function explainText(text: string): string {
  if (hasExponent(text)) return CUT_NUMBER;
  const damage = findDamage(text);
  if (damage !== undefined) return damage;
  if (/^[+-]\d+$/.test(text)) return "digits have no sign";
  return /^\d+[.,]\d+$/.test(text) ? "its decimals are not one or two zeros" : "it holds more than digits";
}

/** The number of decimals if they are one or two zeros after a point or comma; otherwise 0. */
function countZeroDecimals(text: string): number {
  let at = text.length;
  while (at > 0 && text.charCodeAt(at - 1) === 0x30) at--;
  const count = text.length - at;
  const mark = text.charCodeAt(at - 1);
  return (count === 1 || count === 2) && (mark === 0x2e || mark === 0x2c) ? count : 0;
}

/** Joins groups of three after one kind of space; `undefined` if they are grouped in any other way. */
function joinSpaced(text: string): string | undefined {
  const first = digitsEnd(text, 0);
  const space = text.charCodeAt(first);
  if (first < 1 || first > 3 || !isGroupingSpace(space)) return undefined;
  let digits = text.slice(0, first);
  for (let at = first; at < text.length; at += 4) {
    if (text.charCodeAt(at) !== space || digitsEnd(text, at + 1) !== at + 4) return undefined;
    digits += text.slice(at + 1, at + 4);
  }
  return digits;
}

function isDigits(text: string): boolean {
  return text !== "" && digitsEnd(text, 0) === text.length;
}

function digitsEnd(text: string, start: number): number {
  let at = start;
  let code = text.charCodeAt(at);
  while (code >= 0x30 && code <= 0x39) code = text.charCodeAt(++at);
  return at;
}
