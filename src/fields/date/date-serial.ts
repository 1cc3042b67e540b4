import { DAY_MS, packInstant, type PackedDate } from "./calendar.ts";
import type { DateInZone } from "./time-zone.ts";
import type { DateFormat } from "../value.ts";

/** The formats in which a date is one number. */
export type SerialFormat = "excel" | "epoch" | "epoch-ms";

/** True for the formats that read numbers. */
export function isSerialFormat(format: DateFormat | undefined): format is SerialFormat {
  return format === "excel" || format === "epoch" || format === "epoch-ms";
}

/** Days from the first serial of the 1900 system to 1970, with the day that it counts too many. */
const EXCEL_1970 = 25_569;
const FALSE_LEAP_DAY = 60;

/**
 * Gives the date of a number, or why it has none; `undefined` where the text is no plain number. Epochs are instants:
 * their date is that of UTC unless a zone is given.
 */
export function readSerial(
  text: string,
  format: SerialFormat,
  zone: DateInZone | undefined,
): PackedDate | string | undefined {
  if (!/^-?\d+(?:[.,]\d+)?$/.test(text)) return undefined;
  const number = Math.floor(Number(text.replace(",", ".")));
  if (format === "excel") return readExcelSerial(number);
  const utcMs = format === "epoch" ? epochMs(text) : number;
  return (zone ?? packInstant)(utcMs) || "it is outside the years 1000 to 9999";
}

/** The 1900 system: 1 is 1900-01-01, 61 is 1900-03-01, and 60 stands for a 29 February 1900 that never was. */
function readExcelSerial(serial: number): PackedDate | string {
  if (serial === FALSE_LEAP_DAY) return "serial 60 is 29 February 1900, which never was";
  if (serial < 1) return "serials begin with 1";
  const days = serial - EXCEL_1970 + (serial < FALSE_LEAP_DAY ? 1 : 0);
  return packInstant(days * DAY_MS) || "no serial is so large";
}

function epochMs(text: string): number {
  return Math.floor(Number(text.replace(",", ".")) * 1000);
}
