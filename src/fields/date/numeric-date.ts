import { packDate } from "./calendar.ts";
import { DMY, MDY, YMD } from "./date-order.ts";
import { explainDay, explainParts } from "./date-reasons.ts";
import type { DateScan } from "./date-scan.ts";
import { isSpace } from "../spaces.ts";
import { fullYear } from "./two-digit-year.ts";

const SPACE = 0x20;
const DASH = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;

/** The result if a letter follows the first number: the month is a name. */
export const NAMED_MONTH = "a month by name";

/**
 * Reads `DD/MM/YYYY`, `MM/DD/YYYY`, `YYYY-MM-DD`, `YY-MM-DD` with any of the four separators, and `YYYYMMDD`, from the
 * first digit to the end of the date; a final dot after a date with dots is part of it. Returns the reason if the text
 * has no such form.
 */
export function scanNumericDate(scan: DateScan): string | undefined {
  const begin = scan.at;
  const first = passNumber(scan);
  const firstWidth = scan.at - begin;
  if (firstWidth === 8) return takeCompact(scan, first);
  const separator = passSeparator(scan);
  if (isLetter(scan.text.charCodeAt(scan.at))) return NAMED_MONTH;
  if (separator === 0) return explainLoneNumber(scan.text, firstWidth);

  let start = scan.at;
  const second = passNumber(scan);
  const secondWidth = scan.at - start;
  const nextSeparator = passSeparator(scan);
  start = scan.at;
  const third = passNumber(scan);
  const thirdWidth = scan.at - start;
  if (thirdWidth === 0 || secondWidth === 0) return "a date needs a day, a month and a year";
  if (separator !== nextSeparator) return "its parts are separated by different signs";
  if (secondWidth > 2) return "its second part is neither a day nor a month";
  if (separator === DOT && scan.text.charCodeAt(scan.at) === DOT) scan.at++;

  if (firstWidth === 4) {
    if (thirdWidth > 2) return "its last part is not a day";
    scan.setCertain(packDate(first, second, third));
    return scan.dmy === 0 ? explainDay(first, second, third) : undefined;
  }
  if (firstWidth > 2) return "its first part is neither a day nor a year";
  scan.isShort = thirdWidth < 4;
  scan.isDashed = separator === DASH;
  scan.hasBareMonth = secondWidth === 1;
  const { pivotYear } = scan;
  const year = thirdWidth === 2 ? fullYear(third, pivotYear) : third;
  if (thirdWidth === 4 || thirdWidth === 2) takeYearLast(scan, first, second, year);
  if (firstWidth === 2 && thirdWidth <= 2) {
    scan.ymd = packDate(fullYear(first, pivotYear), second, third);
    scan.form |= scan.isDashed ? YMD : DMY | MDY;
  }
  if (scan.form === 0) return "its year has neither two digits nor four";
  const isReal = scan.dmy !== 0 || scan.mdy !== 0 || scan.ymd !== 0;
  return isReal ? undefined : explainParts(first, second, year);
}

function takeYearLast(scan: DateScan, first: number, second: number, year: number): void {
  scan.form = DMY | MDY;
  scan.dmy = packDate(year, second, first);
  scan.mdy = packDate(year, first, second);
}

function takeCompact(scan: DateScan, digits: number): string | undefined {
  const year = Math.trunc(digits / 10_000);
  const month = Math.trunc(digits / 100) % 100;
  scan.setCertain(packDate(year, month, digits % 100));
  return scan.dmy === 0 ? explainDay(year, month, digits % 100) : undefined;
}

function explainLoneNumber(text: string, width: number): string {
  if (width < text.length) return "it is not written like a date";
  if (width === 4) return "a year alone is not a date";
  if (width === 6) return "six digits in a row are not a certain date";
  return "a number is not a date";
}

function passNumber(scan: DateScan): number {
  const text = scan.text;
  let at = scan.at;
  let value = 0;
  let code = text.charCodeAt(at);
  while (code >= 0x30 && code <= 0x39) {
    value = value * 10 + code - 0x30;
    code = text.charCodeAt(++at);
  }
  scan.at = at;
  return value;
}

/** Skips one separator with the spaces around it (`5. 7. 2016`), and returns its code; 0 if there is none. */
function passSeparator(scan: DateScan): number {
  const text = scan.text;
  let at = scan.at;
  let code = text.charCodeAt(at);
  let separator = 0;
  while (isSpace(code)) {
    separator = SPACE;
    code = text.charCodeAt(++at);
  }
  if (code === SLASH || code === DASH || code === DOT) {
    separator = code;
    do code = text.charCodeAt(++at);
    while (isSpace(code));
  }
  scan.at = at;
  return separator;
}

/** True for ASCII letters and, accurately enough for month names, for everything beyond ASCII that is not a space. */
export function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code > 0xa0 && !isSpace(code));
}
