import { trimSpaces } from "./spaces.ts";

const APOSTROPHE = 0x27;
const EQUALS = 0x3d;

/**
 * Removes the signs with which spreadsheets and exports keep a cell from being read as a number: `="..."` and a leading
 * `'`. A trimmed text without them is returned as it is.
 */
export function undoSpreadsheetText(text: string): string {
  const first = text.charCodeAt(0);
  if (first === APOSTROPHE) return undoFormula(trimSpaces(text.slice(1)));
  return first === EQUALS ? undoFormula(text) : text;
}

/** True for `="..."` around one text; `="1"&"2"` is a formula that was never calculated. */
export function isFormulaText(text: string): boolean {
  return /^="(?:[^"]|"")*"$/.test(text);
}

function undoFormula(text: string): string {
  return isFormulaText(text) ? trimSpaces(text.slice(2, -1).replaceAll('""', '"')) : text;
}
