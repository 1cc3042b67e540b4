import { type Cell, expandJsonNumber, JsonNumber, UnusableCell } from "../../model/rows.ts";
import { CUT_NUMBER, findDamage, isCutNumber } from "../key.ts";
import { GROUPING_SPACE, SPACE, trimSpaces, undoSpreadsheetText } from "../spreadsheet-text.ts";
import { type ReadValue, refuseOther, refuseText, type Unreadable } from "../type-text.ts";

/** The dot separates whole from decimals: one bit of a set of marks. */
export const DOT = 1;
/** The comma does. */
export const COMMA = 2;
export const ANY_MARK = DOT | COMMA;

/** One cell, read as an amount. */
export class ScannedAmount {
  readonly text: string;
  /** Its digits with the marks and groups between them. */
  readonly body: string;
  readonly isNegative: boolean;
  /** The currency as {@link findCurrency} names it; empty without one. */
  readonly currency: string;
  /** Position in the body of the only mark, which precedes the decimals or groups digits; -1 if there is none. */
  readonly mark: number;
  /** The character that certainly groups the whole digits; empty if there is none. */
  readonly group: string;
  /** The decimal marks under which this is a number; if both are set, `mark` may be either, or there is none. */
  readonly marks: number;
  /** True for a JSON number: its point is the decimal mark, and it is no evidence for other cells. */
  readonly isExact: boolean;

  constructor(text: string, sign: Sign, body: Body, isExact = false) {
    this.text = text;
    this.isNegative = sign.isNegative;
    this.currency = sign.currency;
    this.body = body.body;
    this.mark = body.mark;
    this.group = body.group;
    this.marks = body.marks;
    this.isExact = isExact;
  }

  /** True if the value depends on the decimal mark. */
  isAmbiguous(): boolean {
    return this.marks === ANY_MARK && this.mark !== -1;
  }

  /** Position of the decimal mark under `mark`, -1 without decimals. */
  decimalsAt(mark: number): number {
    return this.body[this.mark] === (mark === DOT ? "." : ",") ? this.mark : -1;
  }

  /** The number of decimals under `mark`. */
  countDecimals(mark: number): number {
    const at = this.decimalsAt(mark);
    return at === -1 ? 0 : this.body.length - at - 1;
  }
}

type Sign = Pick<ScannedAmount, "isNegative" | "currency">;
type Body = Pick<ScannedAmount, "body" | "mark" | "group" | "marks">;

/** Makes the reader of a settled column: a decimal with `.` and no grouping (`437.50`, `-0.5`), or the reason. */
export function amountReader(marks: number): ReadValue {
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
    return refuseText(text, findDamage(text) ?? (isCutNumber(text) ? CUT_NUMBER : amount));
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
  const { body } = scan;
  const at = scan.decimalsAt(mark);
  const whole = body
    .slice(0, at === -1 ? undefined : at)
    .replaceAll(/\D/g, "")
    .replace(/^0+(?=\d)/, "");
  const amount = (whole || "0") + (at === -1 ? "" : `.${body.slice(at + 1)}`);
  return scan.isNegative && /[1-9]/.test(amount) ? `-${amount}` : amount;
}

function scanJsonNumber({ source }: JsonNumber): ScannedAmount | Unreadable {
  const text = expandJsonNumber(source);
  if (text === undefined) return { reason: "its exponent is too large" };
  const isNegative = text.startsWith("-");
  const body = isNegative ? text.slice(1) : text;
  const mark = body.indexOf(".");
  const marks = mark === -1 ? ANY_MARK : DOT;
  return new ScannedAmount(text, { isNegative, currency: "" }, { body, mark, group: "", marks }, true);
}

/** Digits with points, commas, and single spaces or apostrophes before further digits. A point after a letter ends a word. */
const BODY = new RegExp(
  String.raw`(?:[\d,]|(?<![A-Za-z\u00c0-\u024f])\.)(?:[\d.,]|(?:${GROUPING_SPACE}|['\u2019])(?=\d))*`,
);
const WORD_BEFORE_POINT = /[A-Za-z\u00c0-\u024f]\.\d/;
/** Letters and currency signs: everything except ASCII punctuation, digits, spaces and the minus sign; `Fr.` has a point. */
const TOKEN = new RegExp(
  String.raw`(?:[A-Za-z$]|(?!${SPACE}|\u2212)[\u00a1-\uffff])+(?:(?<=[A-Za-z\u00c0-\u024f])\.)?`,
  "g",
);
const SPACES = new RegExp(`${SPACE}+`, "g");
/** The signs around an amount, and whether it is negative. */
const IS_NEGATIVE = new Map([
  ["0", false],
  ["+0", false],
  ["0+", false],
  ["-0", true],
  ["0-", true],
  ["(0)", true],
]);

/** Reads a trimmed text; returns why it is not an amount under any decimal mark. */
export function scanAmount(text: string): ScannedAmount | string {
  const found = BODY.exec(text);
  if (found === null || !/\d/.test(text)) return "it holds no digits";
  if (WORD_BEFORE_POINT.test(text))
    return "the dot before its digits may end the currency or begin the decimals";
  const [digits] = found;
  const around = `${text.slice(0, found.index)}0${text.slice(found.index + digits.length)}`;
  let currency: string | undefined;
  let words = 0;
  let areCurrencies = true;
  const signs = around.replace(TOKEN, (word) => {
    words += 1;
    currency = findCurrency(word.replace(/\.$/, ""));
    areCurrencies &&= currency !== undefined;
    return "";
  });
  if (signs.includes("%")) return "a percentage is not an amount";
  const isNegative = IS_NEGATIVE.get(signs.replace(SPACES, "").replace("\u2212", "-"));
  if (!areCurrencies) return "it holds characters that do not belong to an amount";
  if (isNegative === undefined) return "it holds more than one number, or signs that do not belong to one";
  if (words > 1) return "it has more than one currency sign";
  const body = scanBody(digits);
  if (body === undefined) return "its digits are not in groups of three, or no digit follows its last mark";
  return new ScannedAmount(text, { isNegative, currency: currency ?? "" }, body);
}

const PLAIN = /^\d*(?:([.,])\d+)?$/;
/** One to three digits and then groups of three, after signs of one kind; a single 0 is not a first group. */
const GROUPED = new RegExp(
  String.raw`^(?!0\D)\d{1,3}(${GROUPING_SPACE}|[.,'\u2019])\d{3}(?:\1\d{3})*(?:(?!\1)([.,])\d+)?$`,
);

/** Settles what is certain about digits with their marks and groups; `undefined` if they are no number. */
function scanBody(body: string): Body | undefined {
  const plain = PLAIN.exec(body);
  const grouped = GROUPED.exec(body);
  const only = (sign: string): number => (sign === "." ? DOT : COMMA);
  if (plain !== null) {
    const [, sign] = plain;
    const mark = sign === undefined ? -1 : body.indexOf(sign);
    // A lone mark may group three digits.
    const marks = sign === undefined || grouped !== null ? ANY_MARK : only(sign);
    return { body, mark, group: "", marks };
  }
  if (grouped === null) return undefined;
  const [, group = "", sign] = grouped;
  if (sign !== undefined) return { body, mark: body.lastIndexOf(sign), group, marks: only(sign) };
  return { body, mark: -1, group, marks: /[.,]/.test(group) ? ANY_MARK & ~only(group) : ANY_MARK };
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
