import { expandJsonNumber } from "../../model/rows.ts";
import { type FaultKind, faultToken } from "./cell-faults.ts";

/** The kind of a number by the format of its cell, or why that is not certain. */
type NumberKind = "number" | "date" | "time" | Extract<FaultKind, "PERCENT" | "DURATION" | "FORMAT">;

/** How the numbers of a cell format are read. */
export interface NumberFormat {
  readonly kind: NumberKind;
  /** Up to how many digits it fills whole numbers up with zeros; 0 if it does not. */
  readonly places: number;
}

/** Kinds of the built-in formats (ECMA-376 part 1, 18.8.30); all others are numbers. Those of East Asia differ by language. */
const BUILT_IN: readonly (readonly [number, number, NumberKind])[] = [
  [9, 10, "PERCENT"],
  [14, 17, "date"],
  [18, 21, "time"],
  [22, 22, "date"],
  [27, 36, "FORMAT"],
  [45, 47, "DURATION"],
  [50, 58, "FORMAT"],
];

/** Formats from here on are the file's own. */
const FIRST_OWN = 164;

/** A format that the file does not spell out. */
export function builtInFormat(id: number): NumberFormat {
  if (id >= FIRST_OWN) return { kind: "FORMAT", places: 0 };
  return { kind: BUILT_IN.find(([first, last]) => id >= first && id <= last)?.[2] ?? "number", places: 0 };
}

/** Sections are parted by semicolons outside quotes and brackets. */
const SECTIONS = /(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+|(?<=;)(?=;|$)/gs;

/**
 * The format of a code: `dd/mm/yyyy;@`, `[h]:mm`, `0.0%`, `#,##0.00;[Red]-#,##0.00`. Its sections for positive and negative
 * numbers and zero have to agree; a section for texts does not count.
 */
export function formatOf(code: string): NumberFormat {
  const sections = code.match(SECTIONS) ?? [];
  const kinds = sections.slice(0, 3).flatMap((section) => kindOf(section) ?? []);
  const kind = kinds[0] ?? "number";
  if (kinds.some((other) => other !== kind)) return { kind: "FORMAT", places: 0 };
  return { kind, places: kind === "number" ? placesOf(sections[0] ?? "") : 0 };
}

/** Parts of a format between the digits, which are not sent: texts, signs, spaces as wide as a sign; and colours. */
const BETWEEN = /"[^"]*"|\\.|[ ()-]|_.|\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)\]/gi;

/** The places of a format that fills up with zeros: `00000` shows 1000 as 01000 (ECMA-376 part 1, 18.8.31). */
function placesOf(section: string): number {
  const digits = section.replaceAll(BETWEEN, "");
  // Only zeros before the others fill up.
  return /^0[0#?]+$/.test(digits) ? digits.length : 0;
}

/** Parts of a format without evidence: literal text, fill and space characters, colours, conditions and currencies. */
const SILENT = /"[^"]*"?|\\.|[_*].|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gis;
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
const HALF_DAY = /am\/pm|a\/p/g;

/** The kind of a section; `undefined` for a section for texts, or an empty one. */
function kindOf(section: string): NumberKind | undefined {
  const code = section.replaceAll(SILENT, "").toLowerCase();
  if (ELAPSED.test(code)) return "DURATION";
  const letters = code
    .replaceAll(/general|standard/g, "0")
    .replaceAll(HALF_DAY, "h")
    .replaceAll(/e[+-]/g, "");
  const hasHour = letters.includes("h");
  const hasSecond = letters.includes("s");
  const isDate = /[ydgeb]|m{3}/.test(letters) || (letters.includes("m") && !hasHour && !hasSecond);
  if (letters.includes("%")) return isDate || hasHour || hasSecond ? "FORMAT" : "PERCENT";
  if (isDate) return "date";
  if (hasHour) return "time";
  // Minutes and seconds without an hour are how long something took.
  if (hasSecond) return "DURATION";
  return letters.includes("@") || letters.trim() === "" ? undefined : "number";
}

/** The digits that a floating-point number keeps, whatever they are. */
const SURE_DIGITS = 15;
const WHOLE = /^\d{1,15}$/;
/** JSON would write the number in the same way, without exponent and with no more digits than are sure. */
const PLAIN = /^-?(?=(?:\.?\d){1,15}$)(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** As XML Schema writes a double; zeros before a number may count. */
const NUMBER = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A number, date or time as it is written to a row, or the token of a fault. */
export function numberText(source: string, { kind, places }: NumberFormat, is1904: boolean): string {
  // Programs in Java and Python write `.0` behind a whole number.
  if (kind === "number" && places === 0 && PLAIN.test(source)) return source.replace(/\.0$/, "");
  if (!NUMBER.test(source)) return faultToken("NUMBER", source);
  const number = Number(source);
  switch (kind) {
    case "number":
      if (places > 0 && WHOLE.test(source)) return `"${source.padStart(places, "0")}"`;
      return plainNumber(number) ?? faultToken("CUT", source);
    case "date":
    case "time": {
      const text = kind === "date" ? dateText(number, is1904) : timeText(number);
      return text === undefined ? faultToken("DATE", source) : `"${text}"`;
    }
    case "PERCENT":
    case "DURATION":
    case "FORMAT":
      return faultToken(kind, source);
  }
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

/** A date, with its time if it has one: `2024-03-26`, `2024-03-26T14:30:00`; `undefined` if the number is no date. */
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
