import { isDigit } from "../../kernel/shapes.ts";
import { type Cell, expandJsonNumber, JsonNumber, UnusableCell } from "../../model/rows.ts";
import { CUT_NUMBER, findDamage, hasExponent } from "../key.ts";
import { GROUPING_SPACE, isSpace, SPACE, trimSpaces, undoSpreadsheetText } from "../spreadsheet-text.ts";
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
      TOKEN.lastIndex = at;
      const token = TOKEN.exec(text)?.[0] ?? "";
      const currency = findCurrency(token);
      if (currency === undefined) return explainSign(text, code);
      if (scan.currency !== "") return "it has more than one currency sign";
      scan.currency = currency;
      at += token.length;
      if (text.charCodeAt(at) === POINT && /[A-Za-z\u00c0-\u024f]$/.test(token)) {
        if (isDigit(text.charCodeAt(at + 1)))
          return "the dot before its digits may end the currency or begin the decimals";
        at++;
      }
    }
  }
  if (!hasBody) return "it holds no digits";
  return parentheses === 1 ? "its parenthesis is not closed" : scan;
}

const MIXED = "its digits are grouped in more than one way";
const NOT_THREES = "its digits are not grouped in threes";
/** Digits with points, commas, and single spaces or apostrophes before further digits. */
const BODY = new RegExp(String.raw`[\d.,](?:[\d.,]|(?:${GROUPING_SPACE}|['\u2019])(?=\d))*`, "y");

/** Reads the digits with their marks and groups, and settles what is certain about these. */
function scanBody(scan: ScannedAmount, start: number): string | undefined {
  BODY.lastIndex = start;
  const [body] = BODY.exec(scan.text)!;
  scan.start = start;
  scan.end = start + body.length;
  const marks: readonly string[] = body.match(/[.,]/g) ?? [];
  const groups = new Set<string>(body.match(/[^\d.,]/g));
  if (groups.size > 1) return MIXED;
  const [space] = groups;
  const firstMark = body.search(/[.,]/);
  // Not by one expression, which would try each mark against all that follows.
  if (space !== undefined && firstMark >= 0 && body.lastIndexOf(space) > firstMark)
    return "its decimals are grouped";
  if (/[.,]$/.test(body)) return "no digits follow its last mark";
  const last = marks.at(-1);
  const areBoth = new Set(marks).size > 1;
  if (marks.length > 1) {
    if (groups.size > 0 || (areBoth && marks.indexOf(last!) < marks.length - 1)) return MIXED;
    groups.add(marks[0]!);
  }
  const isDecimal = marks.length === 1 || areBoth;
  const at = isDecimal ? body.lastIndexOf(last!) : body.length;
  const whole = body.slice(0, at);
  if (isDecimal) scan.mark = start + at;
  const [group] = groups;
  if (group !== undefined) scan.group = group.charCodeAt(0);
  // A lone mark may group only if one to three digits come before it, not a single 0, and exactly three after it.
  const mayGroup = group === undefined && body.length - at === 4 && /^(?!0$)\d{1,3}$/.test(whole);
  if (last !== undefined && !mayGroup) scan.marks = (last === ".") === isDecimal ? DOT : COMMA;
  return group === undefined || isGrouped(whole, group) ? undefined : NOT_THREES;
}

/** True for one to three digits and then groups of three; a single 0 is not a first group. */
function isGrouped(whole: string, group: string): boolean {
  const [first = "", ...others] = whole.split(group);
  return /^(?!0$)\d{1,3}$/.test(first) && others.every((digits) => digits.length === 3);
}

function explainSign(text: string, code: number): string {
  if (code === 0x25) return "a percentage is not an amount";
  return /^[^\d]*\d/.test(text)
    ? "it holds characters that do not belong to an amount"
    : "it holds no digits";
}

/** Letters and currency signs: everything except ASCII punctuation, digits, spaces and the minus sign. */
const TOKEN = new RegExp(String.raw`(?:[A-Za-z$]|(?!${SPACE}|\u2212)[\u00a1-\uffff])+`, "y");

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
