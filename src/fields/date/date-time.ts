import type { DateScan } from "./date-scan.ts";

/** Every character that is only spacing, as a class of a regular expression: see `isSpace`. */
export const SPACE = String.raw`[\s\u200b\u200e\u200f\u2060]`;

/** A word before a time in the languages of the months. */
const WORD = "(?:a las?|alle(?: ore)?|[àa]s|a\u0300|[àa]|at|um|om)";
const FRACTION = String.raw`([.,]\d+)?`;
/** `T1430`, `T143000.5`. */
const BASIC = new RegExp(String.raw`^t(\d\d)(\d\d)(?:(\d\d)${FRACTION})?(?!\d)`, "i");
/** `T14:30:00.5`, and after a space and perhaps a word `14:30`, `14h30`, `14 h`. */
const CLOCK = new RegExp(
  String.raw`^(?:t|,?${SPACE}+(?:${WORD}\s+)?)(\d\d?)(?::(\d\d)(?!\d)(?::(\d\d)(?!\d)${FRACTION})?|${SPACE}*h${SPACE}*(\d\d)?(?!\d))`,
  "iu",
);
const HALF = new RegExp(String.raw`^${SPACE}*([ap])(?:m|\.\s?m\.?)(?![a-z])`, "i");
/** `Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `+02`, `GMT+0200`. */
const ZONE = /^(?:[Zz]|(?:UTC|GMT)?(?:([+-])(\d\d)(?::?(\d\d))?)?)$/;
const ZONE_NAME = /^[A-Za-z]{2,5}$|^[A-Z][A-Za-z_]+\/[A-Za-z_/]+$/;
const LEADING_SPACE = new RegExp(`^${SPACE}+`);

const NOT_A_TIME = "what follows the date is not a time";

/** Reads the time and the zone after a date, to the end of the text. Returns the reason for other text. */
export function scanTime(scan: DateScan): string | undefined {
  let rest = scan.text.slice(scan.at);
  const clock = BASIC.exec(rest) ?? CLOCK.exec(rest);
  if (clock === null) return NOT_A_TIME;
  rest = rest.slice(clock[0].length);
  const half = HALF.exec(rest);
  const reason = takeClock(scan, clock, half?.[1]?.toLowerCase());
  if (reason !== undefined) return reason;
  rest = rest.slice(half?.[0].length ?? 0).replace(LEADING_SPACE, "");
  return rest === "" ? undefined : takeZone(scan, rest);
}

function takeClock(scan: DateScan, clock: RegExpExecArray, half: string | undefined): string | undefined {
  const [, hourText, minute = clock[5] ?? "0", second = "0", fraction = ""] = clock;
  let hour = Number(hourText);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return "its hour does not fit AM or PM";
    hour = (hour % 12) + (half === "p" ? 12 : 0);
  }
  if (hour === 24) return "hour 24 may be meant for either day";
  // A leap second is written 23:59:60 (ISO 8601).
  if (hour > 23 || Number(minute) > 59 || Number(second) > 60) return "its time does not exist";
  // Rounded up, so that only zeros are midnight.
  const milliseconds = Math.min(Math.ceil(Number(`0.${fraction.slice(1) || "0"}`) * 1000), 999);
  scan.timeMs = ((hour * 60 + Number(minute)) * 60 + Number(second)) * 1000 + milliseconds;
  return undefined;
}

function takeZone(scan: DateScan, text: string): string | undefined {
  const zone = ZONE.exec(text);
  if (zone === null) {
    if (/^(?:UTC|GMT)?[+-]/.test(text)) return "its time zone does not exist";
    return ZONE_NAME.test(text) ? "its time zone is not written as a number" : NOT_A_TIME;
  }
  const [, sign, hours = "0", minutes = "0"] = zone;
  if (Number(hours) > 14 || Number(minutes) > 59) return "its time zone does not exist";
  scan.offsetMinutes = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  return undefined;
}
