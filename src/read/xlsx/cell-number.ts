import { expandJsonNumber } from "../../model/rows.ts";
import { faultToken } from "./cell-faults.ts";
import type { CellWriter } from "./cell-writer.ts";
import type { NumberFormat } from "./number-format.ts";

const ZERO = 0x30;
const NINE = 0x39;
const POINT = 0x2e;
const MINUS = 0x2d;
const SPACE = 0x20;
/** The digits that a floating-point number keeps, whatever they are. */
const SURE_DIGITS = 15;
const WHOLE = /^\d{1,15}$/;
/** As XML Schema writes a double; zeros before a number may count. */
const NUMBER = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Writes a number, date or time to the row at hand, or the token of a fault. */
export function writeNumber(
  from: Buffer,
  start: number,
  end: number,
  { kind, places }: NumberFormat,
  is1904: boolean,
  writer: CellWriter,
): void {
  let first = start;
  let last = end;
  while (first < last && from[first]! <= SPACE) first++;
  while (last > first && from[last - 1]! <= SPACE) last--;
  if (kind === "number" && places === 0 && isPlain(from, first, last)) {
    // Programs in Java and Python write `.0` behind a whole number.
    writer.raw(from, first, from[last - 1] === ZERO && from[last - 2] === POINT ? last - 2 : last);
    return;
  }
  const source = from.toString("latin1", first, last);
  if (!NUMBER.test(source)) return writer.token(faultToken("NUMBER", source));
  switch (kind) {
    case "number":
      if (places > 0 && WHOLE.test(source)) return writer.text(source.padStart(places, "0"));
      return writer.token(plainNumber(Number(source)) ?? faultToken("CUT", source));
    case "date":
    case "time": {
      const text = kind === "date" ? dateText(Number(source), is1904) : timeText(Number(source));
      return text === undefined ? writer.token(faultToken("DATE", source)) : writer.text(text);
    }
    case "PERCENT":
    case "DURATION":
    case "FORMAT":
      writer.token(faultToken(kind, source));
  }
}

/** True if JSON would write a number so too, without exponent and with no more digits than are sure. */
function isPlain(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start] === MINUS ? start + 1 : start;
  let at = first;
  while (at < end && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
  if (at === first || (at > first + 1 && bytes[first] === ZERO)) return false;
  if (at === end) return at - first <= SURE_DIGITS;
  if (bytes[at] !== POINT || at + 1 === end) return false;
  for (at++; at < end && bytes[at]! >= ZERO && bytes[at]! <= NINE;) at++;
  return at === end && at - first - 1 <= SURE_DIGITS;
}

/**
 * A number in the digits that are sure, without exponent: Excel stores 1.1 as `1.1000000000000001` and 0.001 as `1E-3`.
 * `undefined` for one whose whole part has more: an identifier that a program wrote whole, or that a spreadsheet has cut.
 */
function plainNumber(number: number): string | undefined {
  if (Math.abs(number) >= 10 ** SURE_DIGITS) return undefined;
  const digits = expandJsonNumber(number.toPrecision(SURE_DIGITS))!;
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}

const DAY_MS = 86_400_000;
/** Days from the day before the first one of each system to 1970. */
const BEFORE_1900 = 25_568;
const BEFORE_1904 = 24_107;
/** The system of 1900 has a 29 February 1900. */
const FALSE_LEAP_DAY = 60;
/** 31 December 9999 in days since 1970. */
const LAST_DAY = 2_932_896;

/** A date, with its time where it has one: `2024-03-26`, `2024-03-26T14:30:00`; `undefined` if it is none. */
function dateText(serial: number, is1904: boolean): string | undefined {
  const ms = Math.round(serial * DAY_MS);
  const day = Math.floor(ms / DAY_MS);
  if (is1904 ? day < 0 : day < 1 || day === FALSE_LEAP_DAY) return undefined;
  const since1970 = is1904 ? day - BEFORE_1904 : day - BEFORE_1900 - (day > FALSE_LEAP_DAY ? 1 : 0);
  if (since1970 > LAST_DAY) return undefined;
  const text = new Date(since1970 * DAY_MS + (ms % DAY_MS)).toISOString();
  return text.replace(/(?:T00:00:00)?\.000Z$|Z$/, "");
}

/** A time of day: `14:30:00`. A number of a day or more has a date, which its format hides. */
function timeText(serial: number): string | undefined {
  const ms = Math.round(serial * DAY_MS);
  if (!(ms >= 0 && ms < DAY_MS)) return undefined;
  return new Date(ms).toISOString().slice(11, 23).replace(".000", "");
}
