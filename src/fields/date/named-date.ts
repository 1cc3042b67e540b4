import { dayNumber, packDate } from "./calendar.ts";
import { explainDay } from "./date-reasons.ts";
import type { DateScan } from "./date-scan.ts";
import { monthOf, weekdayOf } from "./month-names.ts";
import { fullYear } from "./two-digit-year.ts";

const WEEKDAY = String.raw`(?:(?<weekday>[\p{L}\p{M}]+)(?:-feira)?[.,]{0,2}\s+)?`;
const MONTH = String.raw`(?<month>[\p{L}\p{M}]+)`;
const DAY = String.raw`(?<day>\d{1,2})(?:er|st|nd|rd|th|[\u00ba\u00aa\u00b0])?`;
const GAP = String.raw`[\s./,\-]{0,3}`;
const OF = String.raw`(?:(?:de|del|of)\s)?`;

let forms: readonly RegExp[] | undefined;

/** Made for the first date of the kind: sets of letters in any case take a while. */
function namedForms(): readonly RegExp[] {
  forms ??= [
    // 5 juillet 2016, mardi 1er mars 2016, 5 de julio de 2016, 23-Sep-11, 05JUL2016
    new RegExp(String.raw`^${WEEKDAY}${DAY}${GAP}${OF}${MONTH}${GAP}${OF}(?<year>\d{4}|\d{2})(?!\d)`, "iu"),
    // July 5, 2016, Tuesday, July 5th, 2016, Jul 5 16
    new RegExp(String.raw`^${WEEKDAY}${MONTH}${GAP}${DAY}[\s./,\-]{1,3}(?<year>\d{4}|\d{2})(?!\d)`, "iu"),
    // 2016-Jul-05, 2016 July 5th
    new RegExp(String.raw`^(?<year>\d{4})${GAP}${MONTH}${GAP}${DAY}(?!\d)`, "iu"),
  ];
  return forms;
}

/**
 * Reads a date with a month name, optionally after a day of the week, from the scan's position onwards. A two-digit
 * year comes last. Returns the reason if there is no such date.
 */
export function scanNamedDate(scan: DateScan): string | undefined {
  let reason = "it is not written like a date";
  const text = scan.at === 0 ? scan.text : scan.text.slice(scan.at);
  for (const form of namedForms()) {
    const match = form.exec(text);
    if (match === null) continue;
    const { month: name = "", ...parts } = match.groups ?? {};
    const month = monthOf(name);
    // "July 5th, 2016" is not the 5th of "th": the next form may name a month.
    if (month === undefined) reason = "it names no month in a language that is read";
    else {
      scan.at += match[0].length;
      return takeNamed(scan, month, parts);
    }
  }
  return reason;
}

function takeNamed(
  scan: DateScan,
  month: number,
  parts: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { weekday, day: dayText = "", year: yearText = "" } = parts;
  const day = Number(dayText);
  scan.isShort = yearText.length === 2;
  const year = scan.isShort ? fullYear(Number(yearText), scan.pivotYear) : Number(yearText);
  const date = packDate(year, month, day);
  if (date === 0) return explainDay(year, month, day);
  if (weekday !== undefined) {
    const expected = weekdayOf(weekday);
    if (expected === undefined) return "the word in front of it is not a day of the week";
    if (expected !== (((dayNumber(date) + 4) % 7) + 7) % 7) return "it is not that day of the week";
  }
  scan.setCertain(date);
  return undefined;
}
