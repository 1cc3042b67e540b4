import { JsonNumber, NestedValue, UnusableCell, type Cell } from "../model/row.ts";
import { CUT_NUMBER, findDamage, isCutNumber } from "./damage.ts";
import { expandJsonNumber } from "../model/json-number.ts";
import { isNoValue, quoteListed } from "./no-value.ts";
import { trimSpaces } from "./spaces.ts";
import { isFormulaText, undoSpreadsheetText } from "./spreadsheet-text.ts";
import type { Unreadable } from "./value.ts";

/** Reads the key of a record; `undefined` if the cell is blank, which makes the row a create. */
export type ReadKey = (cell: Cell) => string | undefined | Unreadable;

const APOSTROPHE = 0x27;
const EQUALS = 0x3d;
const QUOTE = 0x22;
/** Digits with anything but letters around them, or one word that contains digits. */
const NUMBER = /^(?=.*\d)(?:[^\s']+|[^\p{L}']+)$/u;

/**
 * Makes the reader of a key column. It refuses a text that may be a damaged key or mean "no key", unless it is one of
 * the literals, which are keys as they are.
 */
export function keyReader(literals: readonly string[] = []): ReadKey {
  const known = new Set(literals);
  return (cell) => {
    if (typeof cell === "string") return readText(trimSpaces(cell), known);
    if (cell === null || cell === undefined) return undefined;
    if (cell instanceof JsonNumber) return readWholeNumber(cell);
    if (cell instanceof NestedValue) return { reason: `the ${cell.what} is not a key` };
    if (cell instanceof UnusableCell) return cell;
    return { reason: `${String(cell)} is not a key` };
  };
}

/** The reader for when no literals are given. */
export const readKey = keyReader();

function readText(text: string, literals: ReadonlySet<string>): string | undefined | Unreadable {
  if (text === "") return undefined;
  const key = undoSigns(text);
  if (literals.size > 0) {
    if (literals.has(text)) return text;
    if (literals.has(key)) return key;
  }
  if (key === "") return undefined;
  return refuseSigns(key) ?? refuseKey(key) ?? key;
}

/** An apostrophe before digits is a spreadsheet's; otherwise it may be part of a name. */
function undoSigns(text: string): string {
  const bare = undoSpreadsheetText(text);
  if (bare === text) return text;
  if (text.charCodeAt(0) === EQUALS) return undoSigns(bare);
  return NUMBER.test(bare) || isFormulaText(text.slice(1)) ? bare : text;
}

/** Refuses a text that begins like spreadsheet text or a quoted cell but is not certainly one. */
function refuseSigns(key: string): Unreadable | undefined {
  const first = key.charCodeAt(0);
  if (first === EQUALS && key.charCodeAt(1) === QUOTE)
    return { reason: "it is a formula that no spreadsheet has calculated" };
  if (first !== APOSTROPHE) return undefined;
  if (isNoValue(key) || isNoValue(key.slice(1))) return refuseNoValue(key);
  if (!key.endsWith("'")) return undefined;
  const hint = `--quote "'" reads them as quotes, --key-literal ${quoteListed(key)} as part of the key`;
  return { reason: "it is enclosed in apostrophes", hint };
}

function refuseKey(key: string): Unreadable | undefined {
  if (isCutNumber(key)) return { reason: CUT_NUMBER };
  if (isNoValue(key)) return refuseNoValue(key);
  const damage = key.charCodeAt(0) === 0x23 || key.length <= 9 ? findDamage(key) : undefined;
  return damage === undefined ? undefined : { reason: damage };
}

/** Used as a key, such a word would make one record out of many. */
function refuseNoValue(key: string): Unreadable {
  const word = quoteListed(key);
  return {
    reason: "it means no value, and it is not certain whether the row is a create",
    hint: `--null ${word} reads it as a blank cell, --key-literal ${word} as a key`,
  };
}

function readWholeNumber({ source }: JsonNumber): string | Unreadable {
  const text = expandJsonNumber(source);
  if (text === undefined) return { reason: "its exponent is too large" };
  const whole = text.replace(/\.0+$/, "");
  return whole.includes(".") || whole === "-0" ? { reason: "it is not a whole number" } : whole;
}
