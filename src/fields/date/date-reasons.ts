import { monthName, packDate } from "./calendar.ts";
import type { DateFormat, Unreadable } from "../value.ts";

/** Why a year, a month and a day do not make a date, given that they do not. */
export function explainDay(year: number, month: number, day: number): string {
  if (year < 1000) return `the year ${String(year).padStart(4, "0")} is not taken`;
  if (month < 1 || month > 12) return `${month} is not a month`;
  if (day < 1 || day > 31) return `${day} is not a day`;
  const ofYear = month === 2 && day === 29 ? ` ${year}` : "";
  return `${day} ${monthName(month)}${ofYear} is not a date`;
}

/** Why two numbers and a year do not make a date with either of them as the month, given that they do not. */
export function explainParts(first: number, second: number, year: number): string {
  if (year < 1000 || (first <= 12 && second <= 12)) return explainDay(year, second, first);
  if (first > 12 && second > 12) return `neither ${first} nor ${second} is a month`;
  return first > 12 ? explainDay(year, second, first) : explainDay(year, first, second);
}

/** Why a date of three numbers that another format could read is none in the column's format. */
export function explainUnderFormat(text: string, format: DateFormat | undefined): string {
  if (format === undefined) return "it is not in the format of its column";
  if (format === "DD/MM/YYYY" || format === "MM/DD/YYYY") {
    const month = Number(text.match(/\d+/g)?.[format === "MM/DD/YYYY" ? 0 : 1]);
    if (month > 12) return `${month} is not a month in the format ${format}`;
  }
  return `it is not a date in the format ${format}`;
}

/** The option to paste for numbers that look like the internal date of a spreadsheet or a clock. */
export function explainNumberAsDate(text: string, field: string | undefined): Unreadable | undefined {
  if (/^\d{5}(?:[.,]\d+)?$/.test(text)) {
    return { reason: "it looks like a spreadsheet date serial", hint: formatOption("excel", field) };
  }
  if (/^\d{10}(?:\.\d+)?$/.test(text)) {
    return { reason: "it looks like seconds since 1970", hint: formatOption("epoch", field) };
  }
  const [, day = "0", month, year] = /^(\d\d)(\d\d)(\d{4})$/.exec(text) ?? [];
  // A number with the year first is a date without any option, so none comes here.
  if (packDate(Number(year), Number(month), Number(day)) > 0)
    return {
      reason: "its day seems to come first, without separators",
      hint: formatOption("DDMMYYYY", field),
    };
  if (/^\d{13}$/.test(text)) {
    return { reason: "it looks like milliseconds since 1970", hint: formatOption("epoch-ms", field) };
  }
  return undefined;
}

/** `--type date_billed=date:DD/MM/YYYY`, or `--date-format` if the field is not known. */
export function formatOption(format: string, field: string | undefined): string {
  return field === undefined ? `--date-format ${format}` : `--type ${field}=date:${format}`;
}
