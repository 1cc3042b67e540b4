import { type Cell, FaultyCell, JsonNumber, NestedValue } from "../model/rows.ts";

/**
 * Removes the signs with which spreadsheets and exports keep a cell from being read as a number: `="..."` and a leading
 * `'`. A trimmed text without them is returned as it is.
 */
export function undoSpreadsheetText(text: string): string {
  return text.startsWith("'") ? undoFormula(trimSpaces(text.slice(1))) : undoFormula(text);
}

/** True for `="..."` around one text; `="1"&"2"` is a formula that was never calculated. */
export function isFormulaText(text: string): boolean {
  return /^="(?:[^"]|"")*"$/.test(text);
}

function undoFormula(text: string): string {
  return text.startsWith("=") && isFormulaText(text)
    ? trimSpaces(text.slice(2, -1).replaceAll('""', '"'))
    : text;
}

/** Every character that is only spacing, as a class of a regular expression: all Unicode spaces, zero-width and direction marks. */
export const SPACE = String.raw`[\s\u200b\u200e\u200f\u2060]`;
const IS_SPACE = new RegExp(SPACE);

/** True for such a character. */
export function isSpace(code: number): boolean {
  if (code < 0x1680) return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0;
  return IS_SPACE.test(String.fromCharCode(code));
}

/** The spaces that group digits in threes: plain, no-break, narrow no-break and thin. */
export const GROUPING_SPACE = String.raw`[ \u00a0\u202f\u2009]`;

/** Removes outer spaces of every kind; a text without any is returned as it is. */
export function trimSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** True for the empty text and for text that is only spaces. */
export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (!isSpace(text.charCodeAt(at))) return false;
  return true;
}

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
