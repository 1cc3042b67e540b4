import { type Cell, expandJsonNumber, JsonNumber, UnusableCell } from "../../model/rows.ts";
import { CUT_NUMBER, findDamage, hasExponent } from "../key.ts";
import { isGroupingSpace, isSpace, trimSpaces, undoSpreadsheetText } from "../spreadsheet-text.ts";
import { type ReadValue, refuseOther, refuseText, type Unreadable } from "../type-text.ts";

/** The dot separates whole from decimals: one bit of a set of marks. */
export const DOT = 1;
/** The comma does. */
export const COMMA = 2;
export const ANY_MARK = DOT | COMMA;

const POINT = 0x2e;
const COMMA_SIGN = 0x2c;

/**
 * One cell, read as an amount. The digits stay in the text: whole digits from `start` on, in groups if `group` is a code.
 */
export class ScannedAmount {
  readonly text: string;
  isNegative = false;
  /** The currency as {@link findCurrency} names it; empty without one. */
  currency = "";
  start = 0;
  /** Position after the last digit. */
  end = 0;
  /** Position of the only mark, which precedes the decimals or groups digits; -1 if there is none. */
  mark = -1;
  /** The character that certainly groups the whole digits; 0 if there is none. */
  group = 0;
  /** True for a JSON number: its point is the decimal mark, and it is no evidence for other cells. */
  isExact = false;
  /** The decimal marks under which this is a number; if both are set, `mark` may be either, or there is none. */
  marks = ANY_MARK;

  constructor(text: string) {
    this.text = text;
  }

  /** True if the value depends on the decimal mark. */
  isAmbiguous(): boolean {
    return this.marks === ANY_MARK && this.mark !== -1;
  }

  /** Position of the decimal mark under `mark`, -1 without decimals. */
  decimalsAt(mark: number): number {
    if (this.mark === -1) return -1;
    return this.text.charCodeAt(this.mark) === (mark === DOT ? POINT : COMMA_SIGN) ? this.mark : -1;
  }

  /** The number of decimals under `mark`. */
  countDecimals(mark: number): number {
    const at = this.decimalsAt(mark);
    return at === -1 ? 0 : this.end - at - 1;
  }
}

/** All rules for reading one column's amounts. */
export interface AmountRules {
  /** The decimal marks that are left; if both are, only amounts with the same value under both are read. */
  readonly marks: number;
}

/** Makes the reader of a settled column: a decimal with `.` and no grouping (`437.50`, `-0.5`), or the reason. */
export function amountReader({ marks }: AmountRules): ReadValue {
  return (cell) => {
    const amount = scanAmountCell(cell);
    return amount instanceof ScannedAmount ? writeAmount(amount, marks) : amount;
  };
}

/**
 * Reads a cell that is not blank; returns why it is not an amount under any decimal mark. JSON numbers are never
 * ambiguous: their mark is the point and nothing groups them.
 */
export function scanAmountCell(cell: Cell): ScannedAmount | Unreadable {
  if (typeof cell === "string") {
    const text = undoSpreadsheetText(trimSpaces(cell));
    const amount = scanAmount(text);
    if (typeof amount !== "string") return amount;
    return refuseText(text, findDamage(text) ?? (hasExponent(text) ? CUT_NUMBER : amount));
  }
  if (cell instanceof JsonNumber) return scanJsonNumber(cell);
  if (cell instanceof UnusableCell) return cell;
  return refuseOther(cell, "an amount");
}

/** Writes what was scanned, given the marks that its column leaves. */
export function writeAmount(scan: ScannedAmount, marks: number): string | Unreadable {
  const possible = scan.isExact ? DOT : scan.marks & marks;
  if (possible === 0) {
    const [other, sign] = scan.marks === DOT ? ["point", "."] : ["comma", ","];
    return {
      reason: `its decimal mark is the ${other}, that of the column is not`,
      hint: `--decimal ${sign}`,
    };
  }
  if (possible === ANY_MARK && scan.isAmbiguous())
    return { reason: "its mark may group digits or begin the decimals", hint: "--decimal , or --decimal ." };
  return writeUnder(possible === ANY_MARK ? DOT : possible, scan);
}

/** Writes what was scanned with one decimal mark. */
export function writeUnder(mark: number, scan: ScannedAmount): string {
  const { text, start, end } = scan;
  const at = scan.decimalsAt(mark);
  const whole = text
    .slice(start, at === -1 ? end : at)
    .replaceAll(/\D/g, "")
    .replace(/^0+(?=\d)/, "");
  const amount = (whole || "0") + (at === -1 ? "" : `.${text.slice(at + 1, end)}`);
  return scan.isNegative && /[1-9]/.test(amount) ? `-${amount}` : amount;
}

function scanJsonNumber({ source }: JsonNumber): ScannedAmount | Unreadable {
  const text = expandJsonNumber(source);
  if (text === undefined) return { reason: "its exponent is too large" };
  const scan = new ScannedAmount(text);
  scan.isNegative = text.startsWith("-");
  scan.start = scan.isNegative ? 1 : 0;
  scan.end = text.length;
  scan.isExact = true;
  scan.mark = text.indexOf(".");
  if (scan.mark !== -1) scan.marks = DOT;
  return scan;
}

/** Reads a trimmed text; returns why it is not an amount under any decimal mark. */
export function scanAmount(text: string): ScannedAmount | string {
  const scan = new ScannedAmount(text);
  let at = 0;
  let isSigned = false;
  let parentheses = 0;
  let hasBody = false;

  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (isDigit(code) || code === POINT || code === COMMA_SIGN) {
      if (hasBody) return "it holds more than one number";
      const reason = scanBody(scan, at);
      if (reason !== undefined) return reason;
      hasBody = true;
      at = scan.end;
    } else if (isSpace(code)) at++;
    else if (code === 0x2d || code === 0x2b || code === 0x2212) {
      if (isSigned) return "it has more than one sign";
      isSigned = true;
      scan.isNegative = code !== 0x2b;
      at++;
    } else if (code === 0x28) {
      if (isSigned || hasBody) return "its parentheses do not enclose the amount";
      isSigned = true;
      parentheses = 1;
      scan.isNegative = true;
      at++;
    } else if (code === 0x29) {
      if (parentheses !== 1 || !hasBody) return "its parentheses do not enclose the amount";
      parentheses = 2;
      at++;
    } else {
      const end = passToken(text, at);
      const currency = end === at ? undefined : findCurrency(text.slice(at, end));
      if (currency === undefined) return explainSign(text, code);
      if (scan.currency !== "") return "it has more than one currency sign";
      scan.currency = currency;
      at = end;
      if (text.charCodeAt(at) === POINT && isLetter(text.charCodeAt(at - 1))) {
        if (isDigit(text.charCodeAt(at + 1)))
          return "the dot before its digits may end the currency or begin the decimals";
        at++;
      }
    }
  }
  if (!hasBody) return "it holds no digits";
  return parentheses === 1 ? "its parenthesis is not closed" : scan;
}

/** Reads the digits with their marks and groups, and settles what is certain about these. */
function scanBody(scan: ScannedAmount, start: number): string | undefined {
  const { text } = scan;
  let points = 0;
  let commas = 0;
  let other = 0;
  let lastMark = -1;
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) continue;
    if (code === POINT) points++;
    else if (code === COMMA_SIGN) commas++;
    else if ((isGroupingSpace(code) || isApostrophe(code)) && isDigit(text.charCodeAt(at + 1))) {
      if (other !== 0 && other !== code) return MIXED;
      other = code;
      if (lastMark !== -1) return "its decimals are grouped";
      continue;
    } else break;
    lastMark = at;
  }
  scan.start = start;
  scan.end = at;
  scan.group = other;
  if (lastMark === at - 1) return "no digits follow its last mark";
  return settleMarks(scan, points, commas, lastMark);
}

const MIXED = "its digits are grouped in more than one way";
const NOT_THREES = "its digits are not grouped in threes";

function settleMarks(
  scan: ScannedAmount,
  points: number,
  commas: number,
  lastMark: number,
): string | undefined {
  const { text, start, end } = scan;
  if (points + commas === 0) return isGrouped(text, start, end, scan.group) ? undefined : NOT_THREES;
  const isPoint = text.charCodeAt(lastMark) === POINT;
  const single = isPoint ? DOT : COMMA;

  if (points + commas === 1) {
    scan.mark = lastMark;
    if (scan.group !== 0) {
      scan.marks = single;
      return isGrouped(text, start, lastMark, scan.group) ? undefined : NOT_THREES;
    }
    // A lone mark may group only if one to three digits come before it, not a single 0, and exactly three after it.
    const whole = lastMark - start;
    const mayGroup =
      end - lastMark === 4 && whole >= 1 && whole <= 3 && !(whole === 1 && text[start] === "0");
    if (!mayGroup) scan.marks = single;
    return undefined;
  }
  if (scan.group !== 0) return MIXED;
  if (points > 0 && commas > 0) {
    if ((isPoint ? points : commas) > 1) return MIXED;
    scan.marks = single;
    scan.mark = lastMark;
    scan.group = isPoint ? COMMA_SIGN : POINT;
    return isGrouped(text, start, lastMark, scan.group) ? undefined : NOT_THREES;
  }
  scan.marks = isPoint ? COMMA : DOT;
  scan.group = isPoint ? POINT : COMMA_SIGN;
  return isGrouped(text, start, end, scan.group) ? undefined : NOT_THREES;
}

/** True for one to three digits and then groups of three; a single 0 is not a first group. */
function isGrouped(text: string, start: number, end: number, group: number): boolean {
  if (group === 0) return true;
  const first = (end - start) % 4;
  if (first === 0 || (first === 1 && text[start] === "0")) return false;
  for (let at = start; at < end; at++) {
    if ((text.charCodeAt(at) === group) !== ((at - start) % 4 === first)) return false;
  }
  return true;
}

function explainSign(text: string, code: number): string {
  if (code === 0x25) return "a percentage is not an amount";
  return /^[^\d]*\d/.test(text)
    ? "it holds characters that do not belong to an amount"
    : "it holds no digits";
}

/** Skips letters and currency signs: everything except ASCII punctuation, digits and spaces. */
function passToken(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (!isLetter(code) && code !== 0x24 && !(code >= 0xa1 && code !== 0x2212 && !isSpace(code))) break;
    at++;
  }
  return at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0xc0 && code <= 0x24f);
}

function isApostrophe(code: number): boolean {
  return code === 0x27 || code === 0x2019;
}

/** The ISO 4217 codes that CLDR 48 lists as current. */
const CURRENCY_CODES = [
  "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN",
  "BZD CAD CDF CHF CLP CNY COP CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL",
  "GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF",
  "KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR",
  "MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG",
  "SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD",
  "UYU UZS VES VND VUV WST XAF XCD XCG XDR XOF XPF XSU YER ZAR ZMW ZWG ZWL",
] as const;

// A currency and its signs. A sign that several share (`$`, `¥`, `kr`) stands for itself: next to a code it is not known whether it is the
// same currency. `£` alone is always the pound sterling.
const SIGNS = `
  EUR € eur Eur euro Euro euros Euros, GBP £, USD US$ $US, AUD A$ AU$, CAD C$ CA$ $CA, NZD NZ$, HKD HK$, SGD S$, MXN MX$,
  BRL R$, TWD NT$, CNY CN¥, JPY JP¥, CHF Fr SFr sFr, PLN zł, CZK Kč, HUF Ft, INR ₹, TRY ₺, RUB ₽, UAH ₴, ILS ₪, KRW ₩,
  VND ₫, THB ฿, PHP ₱, NGN ₦, $ $, ¥ ¥, kr kr Kr, FCFA FCFA CFA`;

const CURRENCIES = new Map([
  ...CURRENCY_CODES.join(" ")
    .split(" ")
    .map((code) => [code, code] as const),
  ...SIGNS.split(",").flatMap((line) => {
    const [currency = "", ...signs] = line.trim().split(/\s+/);
    return signs.map((sign) => [sign, currency] as const);
  }),
]);

/**
 * The currency that a sign or an upper-case ISO 4217 code means: its code, or the sign itself if several currencies
 * share it.
 */
export function findCurrency(token: string): string | undefined {
  return CURRENCIES.get(token);
}
