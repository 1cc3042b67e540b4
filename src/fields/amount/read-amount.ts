import { expandJsonNumber } from "../../model/json-number.ts";
import { type Cell, JsonNumber, UnusableCell } from "../../model/rows.ts";
import { CUT_NUMBER, findDamage, hasExponent } from "../key.ts";
import { trimSpaces, undoSpreadsheetText } from "../spreadsheet-text.ts";
import { type ReadValue, refuseOther, refuseText, type Unreadable } from "../type-text.ts";
import { AmountScan, ANY_MARK, DOT, scanAmount } from "./amount-scan.ts";

/** Everything that reading one column's amounts depends on. */
export interface AmountRules {
  /** The decimal marks that are left; if both are, only amounts that have the same value under both are read. */
  readonly marks: number;
  /** Decimals to pad to; further decimals are refused unless they are zeros. */
  readonly scale: number | undefined;
  /** The field, for hints. */
  readonly field: string | undefined;
}

/** Makes the reader of a settled column: a decimal with `.` and no grouping (`437.50`, `-0.5`), or the reason. */
export function amountReader(rules: AmountRules): ReadValue {
  const scan = new AmountScan();
  return (cell) => scanAmountCell(cell, scan) ?? writeAmount(scan, rules);
}

/**
 * Parses a cell that is not blank into `scan`; returns why it is not an amount under any decimal mark. JSON numbers are
 * never ambiguous: their mark is the point and nothing groups them.
 */
export function scanAmountCell(cell: Cell, scan: AmountScan): Unreadable | undefined {
  if (typeof cell === "string") {
    const text = undoSpreadsheetText(trimSpaces(cell));
    const reason = scanAmount(text, scan);
    if (reason === undefined) return undefined;
    return refuseText(text, findDamage(text) ?? (hasExponent(text) ? CUT_NUMBER : reason));
  }
  if (cell instanceof JsonNumber) return scanJsonNumber(cell, scan);
  if (cell instanceof UnusableCell) return cell;
  return refuseOther(cell, "an amount");
}

/** Writes what was scanned under the rules of its column. */
export function writeAmount(scan: AmountScan, { marks, scale, field }: AmountRules): string | Unreadable {
  const possible = scan.isExact ? DOT : scan.marks & marks;
  if (possible === 0) {
    const other = scan.marks === DOT ? "point" : "comma";
    return {
      reason: `its decimal mark is the ${other}, that of the column is not`,
      hint: otherMark(scan.marks),
    };
  }
  if (possible === ANY_MARK && scan.isAmbiguous()) {
    return { reason: "its mark may group digits or begin the decimals", hint: "--decimal , or --decimal ." };
  }
  return writeUnder(possible === ANY_MARK ? DOT : possible, scan, scale, field);
}

/** Returns why it cannot be sent if an amount has decimals beyond the scale that are not zeros, given its decimal mark. */
export function checkScale(
  scan: AmountScan,
  mark: number,
  scale: number,
  field: string | undefined,
): Unreadable | undefined {
  const count = scan.countDecimals(mark);
  if (count <= scale || isZero(scan.text.slice(scan.end - count + scale, scan.end))) return undefined;
  const reason = `it has more than ${scale} ${scale === 1 ? "decimal" : "decimals"}`;
  return field === undefined ? { reason } : { reason, hint: `--type ${field}=amount:${count}` };
}

/**
 * Writes what was scanned with one decimal mark. Zeros beyond the scale are dropped, because nothing is lost with them.
 */
export function writeUnder(
  mark: number,
  scan: AmountScan,
  scale: number | undefined,
  field?: string,
): string | Unreadable {
  const unreadable = scale === undefined ? undefined : checkScale(scan, mark, scale, field);
  if (unreadable !== undefined) return unreadable;
  const { text, start, end } = scan;
  const at = scan.decimalsAt(mark);
  const wholeEnd = at === -1 ? end : at;
  const isGrouped = scan.group !== 0 || (at === -1 && scan.mark !== -1);
  const whole = dropLeadingZeros(isGrouped ? joinGroups(text, start, wholeEnd) : text.slice(start, wholeEnd));
  let decimals = at === -1 ? "" : text.slice(at + 1, end);
  if (scale !== undefined) decimals = decimals.slice(0, scale).padEnd(scale, "0");
  const amount = decimals === "" ? whole : `${whole}.${decimals}`;
  return scan.isNegative && !isZero(amount) ? `-${amount}` : amount;
}

function scanJsonNumber({ source }: JsonNumber, scan: AmountScan): Unreadable | undefined {
  const text = expandJsonNumber(source);
  if (text === undefined) return { reason: "its exponent is too large" };
  scan.text = text;
  scan.isNegative = text.startsWith("-");
  scan.currency = "";
  scan.start = scan.isNegative ? 1 : 0;
  scan.end = text.length;
  scan.isExact = true;
  scan.group = 0;
  scan.mark = text.indexOf(".");
  scan.marks = scan.mark === -1 ? ANY_MARK : DOT;
  return undefined;
}

function otherMark(mark: number): string {
  return mark === DOT ? "--decimal ." : "--decimal ,";
}

function joinGroups(text: string, start: number, end: number): string {
  const first = (end - start) % 4;
  let digits = text.slice(start, start + first);
  for (let at = start + first + 1; at < end; at += 4) digits += text.slice(at, at + 3);
  return digits;
}

function dropLeadingZeros(digits: string): string {
  let at = 0;
  while (at < digits.length - 1 && digits.charCodeAt(at) === 0x30) at++;
  if (digits === "") return "0";
  return at === 0 ? digits : digits.slice(at);
}

function isZero(amount: string): boolean {
  for (let at = 0; at < amount.length; at++) {
    const code = amount.charCodeAt(at);
    if (code !== 0x30 && code !== 0x2e) return false;
  }
  return true;
}
