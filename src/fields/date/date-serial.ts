import { DAY_MS, packInstant } from "./calendar.ts";
import { scanEpoch } from "./date-epoch.ts";
import type { DateScan } from "./date-scan.ts";
import { isDayFirst, packDayFirst, explainDayFirst } from "./day-first.ts";
import type { DateFormat, Unreadable } from "../value.ts";

/** The formats in which a date is one number. */
export type SerialFormat = "DDMMYYYY" | "excel" | "epoch" | "epoch-ms";

/** True for the formats that read numbers. */
export function isSerialFormat(format: DateFormat | undefined): format is SerialFormat {
  return format === "DDMMYYYY" || format === "excel" || format === "epoch" || format === "epoch-ms";
}

const NUMBER = /^(-?)(\d+)(?:[.,](\d+))?$/;
const COMPACT = /^\d{8}$/;

/** The serial of 1970-01-01 in the 1900 system, which counts one day too many. */
const EXCEL_1970 = 25_569;
const FALSE_LEAP_DAY = 60;

/** True for a text that the format reads as a number; eight digits are a date, because serials end with 2958465. */
export function isSerial(text: string, format: SerialFormat): boolean {
  if (format === "DDMMYYYY") return isDayFirst(text);
  return NUMBER.test(text) && !(format === "excel" && COMPACT.test(text));
}

/**
 * Parses a number into `scan`; returns the reason if it is not a date. An epoch is a moment: it is read like a date and
 * time written in UTC.
 */
export function scanSerial(
  text: string,
  format: SerialFormat,
  scan: DateScan,
  field: string | undefined,
): Unreadable | undefined {
  scan.begin(text);
  scan.at = text.length;
  if (format === "DDMMYYYY") {
    scan.setCertain(packDayFirst(text));
    return scan.dmy === 0 ? { reason: explainDayFirst(text) } : undefined;
  }
  if (format !== "excel") return scanEpoch(text, format, scan, field);
  const reason = scanExcelSerial(Math.floor(Number(text.replace(",", "."))), scan);
  return reason === undefined ? undefined : { reason };
}

/** The 1900 system: 1 is 1900-01-01, 61 is 1900-03-01, and 60 is 29 February 1900, which never existed. */
function scanExcelSerial(serial: number, scan: DateScan): string | undefined {
  if (serial === FALSE_LEAP_DAY) return "serial 60 is 29 February 1900, which never existed";
  if (serial < 1) return "serials begin with 1";
  const days = serial - EXCEL_1970 + (serial < FALSE_LEAP_DAY ? 1 : 0);
  scan.setCertain(packInstant(days * DAY_MS));
  return scan.dmy === 0 ? "no serial is that large" : undefined;
}
