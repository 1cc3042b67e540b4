import { type Cell, expandJsonNumber, JsonNumber, NestedValue, UnusableCell } from "../model/rows.ts";
import { GROUPING_SPACE, isFormulaText, trimSpaces, undoSpreadsheetText } from "./spreadsheet-text.ts";
import { isNoValue, quoteListed, refuseOther, refuseText, type Unreadable } from "./type-text.ts";

/** Reads the key of a record; `undefined` if the cell is blank, which makes the row a create. */
export type ReadKey = (cell: Cell) => string | undefined | Unreadable;

/** A number: digits with any signs but letters around them, or one word that contains digits. */
const NUMBER = /^(?=.*\d)(?:[^\s']+|[^\p{L}']+)$/u;

/**
 * Makes the reader of a key column. It refuses a text that may be a damaged key or mean "no key", unless it is one of
 * the literals, which are keys as they are.
 */
export function keyReader(literals: readonly string[] = []): ReadKey {
  const known = new Set(literals);
  return (cell) => {
    if (typeof cell === "string") return readKeyText(trimSpaces(cell), known);
    if (cell === null || cell === undefined) return undefined;
    if (cell instanceof JsonNumber) return readWholeNumber(cell);
    if (cell instanceof NestedValue) return { reason: `the ${cell.what} is not a key` };
    if (cell instanceof UnusableCell) return cell;
    return { reason: `${String(cell)} is not a key` };
  };
}

function readKeyText(text: string, literals: ReadonlySet<string>): string | undefined | Unreadable {
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
  if (text.startsWith("=")) return undoSigns(bare);
  return NUMBER.test(bare) || isFormulaText(text.slice(1)) ? bare : text;
}

/** Refuses a text that begins like spreadsheet text or a quoted cell but is not certainly one. */
function refuseSigns(key: string): Unreadable | undefined {
  if (key.startsWith('="')) return { reason: "it is a formula that no spreadsheet has calculated" };
  if (!key.startsWith("'")) return undefined;
  if (isNoValue(key) || isNoValue(key.slice(1))) return refuseNoValue(key);
  if (!key.endsWith("'")) return undefined;
  const hint = `--quote "'" reads them as quotes, --key-literal ${quoteListed(key)} as part of the key`;
  return { reason: "it is enclosed in apostrophes", hint };
}

function refuseKey(key: string): Unreadable | undefined {
  if (isCutNumber(key)) return { reason: CUT_NUMBER };
  if (isNoValue(key)) return refuseNoValue(key);
  const damage = key.startsWith("#") || key.length <= 9 ? findDamage(key) : undefined;
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

/**
 * Names the damage if a spreadsheet or a database wrote an error marker instead of a value (`#REF!`, `#N/A`, `#####`,
 * `NaN`). The languages are those of the month names.
 */
export function findDamage(text: string): string | undefined {
  if (text.startsWith("#")) {
    if (/^##+$/.test(text)) return "a spreadsheet wrote signs because its column was too narrow";
    if (/^#[¡¿]?[\p{L}/0]+[!?]$|^#N\/?[ABDV]$/u.test(text)) return "it is an error of a spreadsheet formula";
  }
  return /^(?:NaN|-?Inf(?:inity)?)$/i.test(text) ? "it is not a number" : undefined;
}

/**
 * True for a number with an exponent, `5.51035E+05`: spreadsheets write long numbers this way and lose the last digits. Not
 * for `5E11`, which may be a name and which no program writes for a number.
 */
export function isCutNumber(text: string): boolean {
  return /^[+-]?\d+(?:[.,]\d+[eE][+-]?|[eE][+-])\d+$/.test(text);
}

export const CUT_NUMBER = "a spreadsheet has cut it to an exponent, its last digits are lost";

const MORE_THAN_DIGITS = "it holds more than digits";
const DIGITS = /^\d+$/;
/** Groups of three after one kind of space. */
const GROUPED = new RegExp(String.raw`^\d{1,3}(${GROUPING_SPACE})\d{3}(?:\1\d{3})*$`);

/**
 * Reads a number that is used as a name, such as an order number: ASCII digits, leading zeros kept. Only what can be
 * undone without loss is undone: outer spaces, `="00123"`, a leading `'`, grouping by one kind of space, one or two
 * zero decimals.
 */
export function readDigits(cell: Cell): string | Unreadable {
  if (typeof cell === "string") return readDigitText(trimSpaces(cell));
  if (cell instanceof JsonNumber) {
    const whole = readWholeNumber(cell);
    return typeof whole !== "string" || DIGITS.test(whole) ? whole : { reason: MORE_THAN_DIGITS };
  }
  if (cell instanceof UnusableCell) return cell;
  return refuseOther(cell, "a number");
}

function readDigitText(text: string): string | Unreadable {
  if (DIGITS.test(text)) return text;
  const bare = undoSpreadsheetText(text);
  if (bare !== text) return DIGITS.test(bare) ? bare : { reason: MORE_THAN_DIGITS };
  const whole = text.replace(/[.,]00?$/, "");
  if (DIGITS.test(whole)) return whole;
  if (GROUPED.test(whole)) return whole.replaceAll(/\D/g, "");
  return refuseText(text, isCutNumber(text) ? CUT_NUMBER : (findDamage(text) ?? MORE_THAN_DIGITS));
}
