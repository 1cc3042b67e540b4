import { showCount } from "../../model/decimal-of.ts";
import { expandJsonNumber } from "../../model/json-number.ts";
import type { Notice } from "../../model/reading.ts";
import type { CellWriter } from "./cell-writer.ts";
import type { FormatKinds, NumberKind } from "./number-format.ts";
import { dateText, faultToken, type KnownDays, timeText } from "./rows-layout.ts";

interface Found {
  count: number;
  readonly row: number;
  readonly text: string;
}

/** What is remarkable about a sheet, for people; nothing of it stops a push. */
export class SheetNotes {
  readonly #numbers = new Map<NumberRemark, Found>();
  #hiddenRows = 0;
  #firstHidden = 0;
  #hiddenColumns = 0;

  addHiddenRow(row: number): void {
    if (this.#hiddenRows++ === 0) this.#firstHidden = row;
  }

  addHiddenColumns(count: number): void {
    this.#hiddenColumns += count;
  }

  addNumber(remark: Exclude<NumberRemark, undefined>, row: number, text: string): void {
    const found = this.#numbers.get(remark);
    if (found === undefined) this.#numbers.set(remark, { count: 1, row, text });
    else found.count++;
  }

  get notices(): readonly Notice[] {
    const notices: Notice[] = [];
    if (this.#hiddenRows > 0) {
      const [are, they] = this.#hiddenRows === 1 ? ["is", "it is"] : ["are", "they are"];
      notices.push({
        line: this.#firstHidden,
        text: `${showCount(this.#hiddenRows, "row")} of the sheet ${are} hidden, the first is row ${this.#firstHidden}: ${they} read like the others`,
      });
    }
    if (this.#hiddenColumns > 0) {
      notices.push({
        text: `${showCount(this.#hiddenColumns, "column")} of the sheet hidden: read like the others`,
      });
    }
    const computed = this.#numbers.get("computed");
    if (computed !== undefined) {
      notices.push({
        line: computed.row,
        text: `${showCount(computed.count, "number")} with more digits than a spreadsheet shows, such as ${computed.text} in row ${computed.row}: taken as stored; ROUND() in the sheet makes them what it shows`,
      });
    }
    const long = this.#numbers.get("long");
    if (long !== undefined) {
      notices.push({
        line: long.row,
        text: `${showCount(long.count, "whole number")} of more than 15 digits, such as ${long.text} in row ${long.row}: Excel keeps 15 digits, so check that it did not cut them`,
      });
    }
    return notices;
  }
}

const ZERO = 0x30;
const NINE = 0x39;
const POINT = 0x2e;
const MINUS = 0x2d;
const SPACE = 0x20;
const MOST_DAY_DIGITS = 7;
/** The digits that a floating-point number keeps, whatever they are. */
const SURE_DIGITS = 15;
const WHOLE = /^\d{1,15}$/;
/** As XML Schema writes a double: JSON has no plus, and a digit on both sides of a point. */
const DOUBLE = /^(?:\+|(-))?(?=\.?\d)0*(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** What was remarkable about a number. */
export type NumberRemark = "long" | "computed" | undefined;

/** How the numbers of one cell format are read. */
export interface NumberRules {
  readonly kinds: FormatKinds;
  readonly is1904: boolean;
  readonly days: KnownDays;
}

/** Writes a number, date or time to the row at hand, or the token of a fault. */
export function writeNumber(
  from: Buffer,
  start: number,
  end: number,
  { kinds, is1904, days }: NumberRules,
  writer: CellWriter,
): NumberRemark {
  let first = start;
  let last = end;
  while (first < last && from[first]! <= SPACE) first++;
  while (last > first && from[last - 1]! <= SPACE) last--;
  if (kinds.places !== undefined && kinds.places > 0) {
    const digits = from.toString("latin1", first, last);
    // A spreadsheet keeps so many digits; a longer number is judged as any other.
    if (WHOLE.test(digits)) {
      writer.text(digits.padStart(kinds.places, "0"));
      return undefined;
    }
  }
  if (kinds.positive === "number" && kinds.negative === "number") {
    const digits = plainDigits(from, first, last);
    if (digits > 0 && digits <= SURE_DIGITS) {
      writer.raw(from, first, endsWithPointZero(from, last) ? last - 2 : last);
      return undefined;
    }
  }
  if (kinds.positive === "date" && last - first <= MOST_DAY_DIGITS) {
    const date = dayIn(from, first, last, days);
    if (date !== undefined) {
      writer.plain(date);
      return undefined;
    }
  }
  const source = from.toString("latin1", first, last);
  const number = shortest(spellNumber(source));
  if (number === undefined) {
    writer.token(faultToken("NUMBER", source));
    return undefined;
  }
  const kind = kindFor(Number(number), kinds);
  if (kind === "number") {
    const remark = remarkOf(number);
    writer.token(remark === "cut" ? faultToken("CUT", number) : showPlain(number));
    return remark === "cut" ? undefined : remark;
  }
  writeByKind(number, kind, is1904, writer);
  return undefined;
}

/** The date of a cell that holds a whole day, as most of them do. */
function dayIn(bytes: Buffer, start: number, end: number, days: KnownDays): string | undefined {
  let day = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    day = 10 * day + digit;
  }
  return day === 0 ? undefined : days.textOf(day);
}

function writeByKind(
  number: string,
  kind: Exclude<NumberKind, "number">,
  is1904: boolean,
  writer: CellWriter,
): void {
  switch (kind) {
    case "date":
    case "time": {
      const { text, isFault } = kind === "date" ? dateText(number, is1904) : timeText(number);
      if (isFault) writer.token(text);
      else writer.text(text);
      return;
    }
    case "duration":
      writer.token(faultToken("DURATION", number));
      return;
    case "percent":
      writer.token(faultToken("PERCENT", number));
      return;
    case "unclear":
      writer.token(faultToken("FORMAT", number));
  }
}

function kindFor(value: number, { positive, negative, zero }: FormatKinds): NumberKind {
  if (value === 0) return zero;
  return value < 0 ? negative : positive;
}

/** How many digits a number has that JSON would write so too, without exponent; 0 if it is none. */
function plainDigits(bytes: Buffer, start: number, end: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  const first = at;
  while (at < end && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
  const whole = at - first;
  if (whole === 0 || (whole > 1 && bytes[first] === ZERO)) return 0;
  if (at === end) return whole;
  if (bytes[at] !== POINT || at + 1 === end) return 0;
  const point = at++;
  while (at < end && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
  return at === end ? whole + (end - point - 1) : 0;
}

/** A number as JSON writes it, digit for digit; `undefined` if it is none, or has zeros before it that may count. */
function spellNumber(source: string): string | undefined {
  const [match, sign = "", whole = "", fraction, exponent] = DOUBLE.exec(source) ?? [];
  if (match === undefined || /^[+-]?0\d/.test(source)) return undefined;
  const decimals = fraction === undefined || fraction === "" ? "" : `.${fraction}`;
  const power = exponent === undefined ? "" : `e${exponent}`;
  return `${sign}${whole === "" ? "0" : whole}${decimals}${power}`;
}

/**
 * Excel stores 1.1 as `1.1000000000000001`: seventeen digits of a floating-point number that fifteen say as well. What was
 * typed, and what is shown, are the fifteen.
 */
function shortest(number: string | undefined): string | undefined {
  if (number?.includes(".") !== true || significant(number) <= SURE_DIGITS) return number;
  const short = String(Number(number));
  return significant(short) <= SURE_DIGITS ? short : number;
}

/**
 * A number as a spreadsheet shows it, without the exponent that Excel stores for `0.001`, and without the `.0` that programs in Java
 * and Python write behind a whole number.
 */
function showPlain(number: string): string {
  return (expandJsonNumber(number) ?? number).replace(/\.0$/, "");
}

/** Returns whether the number that ends here has a zero alone as its decimals. */
function endsWithPointZero(bytes: Buffer, end: number): boolean {
  return bytes[end - 1] === ZERO && bytes[end - 2] === POINT;
}

/** How many digits a number has, zeros before the first one not counted. */
function significant(number: string): number {
  return number.replace(/e.*/, "").replaceAll(/[-.]/g, "").replace(/^0+/, "").length;
}

/**
 * More digits than a floating-point number keeps: the end of a calculation, an identifier that a program wrote whole, or
 * one that a spreadsheet has cut and so writes with an exponent.
 */
function remarkOf(number: string): NumberRemark | "cut" {
  const [mantissa = "", power] = number.split("e");
  if (power !== undefined && Number(power) >= SURE_DIGITS) return "cut";
  if (significant(mantissa) <= SURE_DIGITS) return undefined;
  return mantissa.includes(".") ? "computed" : "long";
}
