import { DAY_MS, packInstant } from "./calendar.ts";
import type { DateScan } from "./date-scan.ts";
import type { DateFormat } from "../value.ts";

/** The formats in which a date is one number. */
export type SerialFormat = "excel" | "epoch" | "epoch-ms";

/** True for the formats that read numbers. */
export function isSerialFormat(format: DateFormat | undefined): format is SerialFormat {
  return format === "excel" || format === "epoch" || format === "epoch-ms";
}

const NUMBER = /^(-?)(\d+)(?:[.,](\d+))?$/;
const COMPACT = /^\d{8}$/;

/** The serial of 1970-01-01 in the 1900 system, which counts one day too many. */
const EXCEL_1970 = 25_569;
const FALSE_LEAP_DAY = 60;

/** True for a text that the format reads as a number; eight digits are a date, because serials end with 2958465. */
export function isSerial(text: string, format: SerialFormat): boolean {
  return NUMBER.test(text) && !(format === "excel" && COMPACT.test(text));
}

/**
 * Parses a number into `scan`; returns the reason if it is not a date. An epoch is a moment: it is read like a date and
 * time written in UTC.
 */
export function scanSerial(text: string, format: SerialFormat, scan: DateScan): string | undefined {
  scan.begin(text);
  scan.at = text.length;
  return format === "excel"
    ? scanExcelSerial(Math.floor(Number(text.replace(",", "."))), scan)
    : scanEpoch(text, format === "epoch" ? 3 : 0, scan);
}

/** The 1900 system: 1 is 1900-01-01, 61 is 1900-03-01, and 60 is 29 February 1900, which never existed. */
function scanExcelSerial(serial: number, scan: DateScan): string | undefined {
  if (serial === FALSE_LEAP_DAY) return "serial 60 is 29 February 1900, which never existed";
  if (serial < 1) return "serials begin with 1";
  const days = serial - EXCEL_1970 + (serial < FALSE_LEAP_DAY ? 1 : 0);
  scan.setCertain(packInstant(days * DAY_MS));
  return scan.dmy === 0 ? "no serial is that large" : undefined;
}

/** `decimals` of the number are milliseconds; further digits only show that it is not midnight. */
function scanEpoch(text: string, decimals: number, scan: DateScan): string | undefined {
  const [, sign, whole = "", fraction = ""] = NUMBER.exec(text)!;
  const milliseconds = Number(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  const hasRest = /[1-9]/.test(fraction.slice(decimals));
  const utcMs = sign === "-" ? -milliseconds - (hasRest ? 1 : 0) : milliseconds;
  scan.setCertain(packInstant(utcMs));
  if (scan.dmy === 0) return "it is outside the years 1000 to 9999";
  const sinceMidnight = ((utcMs % DAY_MS) + DAY_MS) % DAY_MS;
  scan.timeMs = sinceMidnight === 0 && hasRest ? 1 : sinceMidnight;
  scan.offsetMinutes = 0;
  return undefined;
}
