import { cellOf, ESCAPED, type Row } from "../../model/row.ts";
import type { AmountScan } from "../amount/amount-scan.ts";
import { cellText } from "../cell-text.ts";
import { trimSpaces } from "../spaces.ts";
import { isNoValue } from "../no-value.ts";
import { findDamage } from "../damage.ts";
import { mayBePhrase, mayEndAsTotal } from "./total-phrase.ts";

/** An amount with fewer digits than this, not counting zeros at the end, may equal a sum by chance. */
const SPECIFIC_FIGURES = 3;

/** The longest rate at the beginning, with its sign: `5,50 % TVA`. */
const LONGEST_RATE = 8;
const PERCENT = 0x25;

/** False if its bytes already show that a cell neither begins nor ends as a total does. */
export function mayNameTotal(row: Row, column: number): boolean {
  if (mayBegin(row, column)) return true;
  const { spans, firstCell = 0 } = row;
  const cell = firstCell + column;
  if (spans !== undefined && (spans.marks[cell]! & ESCAPED) === 0)
    return mayEndAsTotal(spans.bytes, spans.starts[cell]!, spans.ends[cell]!);
  const bytes = Buffer.from(textAt(row, column));
  return mayEndAsTotal(bytes, 0, bytes.length);
}

/** False if the first bytes of a cell already show that it does not begin with a phrase. */
function mayBegin(row: Row, column: number): boolean {
  const { spans, firstCell = 0 } = row;
  if (spans !== undefined && (spans.marks[firstCell + column]! & ESCAPED) === 0) {
    const start = spans.starts[firstCell + column]!;
    const end = spans.ends[firstCell + column]!;
    const first = spans.bytes[start]!;
    if (first >= 0x30 && first <= 0x39) {
      const rateEnd = Math.min(end, start + LONGEST_RATE);
      for (let at = start; at < rateEnd; at++) if (spans.bytes[at] === PERCENT) return true;
      return false;
    }
    return mayBePhrase(first, start + 1 < end ? spans.bytes[start + 1]! : 0x20);
  }
  const text = textAt(row, column);
  if (/^\d/.test(text)) return text.slice(0, LONGEST_RATE).includes("%");
  return mayBePhrase(text.charCodeAt(0), text.length > 1 ? text.charCodeAt(1) : 0x20);
}

/** True for a cell with a digit. */
export function holdsFigure(row: Row, column: number): boolean {
  const { spans, firstCell = 0 } = row;
  if (spans === undefined || (spans.marks[firstCell + column]! & ESCAPED) !== 0)
    return /\d/.test(textAt(row, column));
  const end = spans.ends[firstCell + column]!;
  for (let at = spans.starts[firstCell + column]!; at < end; at++) {
    const byte = spans.bytes[at]!;
    if (byte >= 0x30 && byte <= 0x39) return true;
  }
  return false;
}

/** True for an amount with several digits. */
export function isSpecific({ text, start, end }: AmountScan): boolean {
  return (
    text
      .slice(start, end)
      .replace(/\D/g, "")
      .replace(/^0+|0+$/g, "").length >= SPECIFIC_FIGURES
  );
}

/** The text of a cell without outer spaces. */
export function textAt(row: Row, column: number): string {
  return trimSpaces(cellText(cellOf(row, column)) ?? "");
}

/** False for a number with its currency, and for a date in digits. */
export function holdsLetters(text: string): boolean {
  return /\p{L}{2}/u.test(text) || /^\P{N}*\p{L}/u.test(text);
}

/** True for a cell of keys that says nothing about what keys look like: `(vide)`, `#N/A`. */
export function isNoKey(text: string): boolean {
  return isNoValue(text) || findDamage(text) !== undefined;
}
