import { type DateFormat, noValueHint, type Unreadable } from "../type-text.ts";
import { type DateScan, formatOption } from "./date-scan.ts";
import { DAY_MS, explainDay, packDate, packInstant, spellDate } from "./time-zone.ts";

/** The formats in which a date is one number; only options fix them. */
export type SerialFormat = "DDMMYYYY" | "excel" | "epoch" | "epoch-ms";

/** True for the formats that read numbers. */
export function isSerialFormat(format: DateFormat | undefined): format is SerialFormat {
  return format === "DDMMYYYY" || format === "excel" || format === "epoch" || format === "epoch-ms";
}

const NUMBER = /^(-?)(\d+)(?:[.,](\d+))?$/;
const COMPACT = /^\d{8}$/;
/** `05072016`; a spreadsheet takes the zero of the first nine days away. */
const DAY_FIRST = /^(\d?\d)(\d\d)(\d{4})$/;

/** The serial of 1970-01-01 in the 1900 system, which counts one day too many. */
const EXCEL_1970 = 25_569;
const FALSE_LEAP_DAY = 60;

const YEAR_MS = 365 * DAY_MS;
/** As seconds: the years 5138 to 9998. The end of 9999 is written where there is no last day. */
const FIRST_FAR_MS = 1e14;
const LAST_FAR_MS = Date.UTC(9999, 0, 1);

/** True for a text that the format reads as a number; eight digits are a date, because serials end with 2958465. */
export function isSerial(text: string, format: SerialFormat): boolean {
  if (format === "DDMMYYYY") return DAY_FIRST.test(text);
  return NUMBER.test(text) && !(format === "excel" && COMPACT.test(text));
}

/** Parses a number into `scan`; returns the reason if it is not a date. An epoch is a moment written in UTC. */
export function scanSerial(
  text: string,
  format: SerialFormat,
  scan: DateScan,
  field: string | undefined,
): Unreadable | undefined {
  scan.begin(text);
  scan.at = text.length;
  if (format === "epoch" || format === "epoch-ms") return scanEpoch(text, format, scan, field);
  const reason =
    format === "DDMMYYYY"
      ? scanDayFirst(text, scan)
      : scanExcelSerial(Math.floor(Number(text.replace(",", "."))), scan);
  return reason === undefined ? undefined : { reason };
}

function scanDayFirst(text: string, scan: DateScan): string | undefined {
  const [, day, month, year] = DAY_FIRST.exec(text)!.map(Number) as [number, number, number, number];
  scan.setCertain(packDate(year, month, day));
  return scan.dmy === 0 ? explainDay(year, month, day) : undefined;
}

/** The 1900 system: 1 is 1900-01-01, 61 is 1900-03-01, and 60 is 29 February 1900, which never existed. */
function scanExcelSerial(serial: number, scan: DateScan): string | undefined {
  if (serial === FALSE_LEAP_DAY) return "serial 60 is 29 February 1900, which never existed";
  if (serial < 1) return "serials begin with 1";
  const days = serial - EXCEL_1970 + (serial < FALSE_LEAP_DAY ? 1 : 0);
  scan.setCertain(packInstant(days * DAY_MS));
  return scan.dmy === 0 ? "no serial is that large" : undefined;
}

/** 1970 and the day before it are no dates: programs write 0 and -1 for none, and numbers of another unit fall there. */
function scanEpoch(
  text: string,
  unit: "epoch" | "epoch-ms",
  scan: DateScan,
  field: string | undefined,
): Unreadable | undefined {
  const [, sign, whole = "", fraction = ""] = NUMBER.exec(text)!;
  const decimals = unit === "epoch" ? 3 : 0;
  const milliseconds = Number(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  const hasRest = /[1-9]/.test(fraction.slice(decimals));
  const utcMs = sign === "-" ? -milliseconds - (hasRest ? 1 : 0) : milliseconds;
  const date = packInstant(utcMs);
  if (unit === "epoch" && utcMs >= FIRST_FAR_MS && utcMs < LAST_FAR_MS)
    return { reason: "it looks like milliseconds since 1970", hint: formatOption("epoch-ms", field) };
  if (date === 0 || (utcMs > -DAY_MS && utcMs < YEAR_MS)) {
    const other = explainNumberAsDate(text, field);
    if (other !== undefined && other.hint?.endsWith(unit) !== true) return other;
    if (date === 0) return { reason: "it is outside the years 1000 to 9999" };
    return {
      reason: `it would be ${spellDate(date)}: it means no date, or is in another unit`,
      hint: noValueHint(text),
    };
  }
  scan.setCertain(date);
  const sinceMidnight = ((utcMs % DAY_MS) + DAY_MS) % DAY_MS;
  scan.timeMs = sinceMidnight === 0 && hasRest ? 1 : sinceMidnight;
  scan.offsetMinutes = 0;
  return undefined;
}

/** The option to paste for numbers that look like the internal date of a spreadsheet or a clock. */
export function explainNumberAsDate(text: string, field: string | undefined): Unreadable | undefined {
  const as = (reason: string, format: string): Unreadable => ({ reason, hint: formatOption(format, field) });
  if (/^\d{5}(?:[.,]\d+)?$/.test(text)) return as("it looks like a spreadsheet date serial", "excel");
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return as("it looks like seconds since 1970", "epoch");
  if (/^\d{13}$/.test(text)) return as("it looks like milliseconds since 1970", "epoch-ms");
  // A number with the year first is a date without any option, so none comes here.
  const [, day, month, year] = /^(\d\d)(\d\d)(\d{4})$/.exec(text) ?? [];
  return packDate(Number(year), Number(month), Number(day)) > 0
    ? as("its day seems to come first, without separators", "DDMMYYYY")
    : undefined;
}
