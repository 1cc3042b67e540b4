import { DAY_MS, packInstant, spellDate } from "./calendar.ts";
import { explainNumberAsDate, formatOption } from "./date-reasons.ts";
import type { DateScan } from "./date-scan.ts";
import { noValueHint } from "../no-value.ts";
import type { Unreadable } from "../value.ts";

const NUMBER = /^(-?)(\d+)(?:[.,](\d+))?$/;
const COMPACT = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;

const YEAR_MS = 365 * DAY_MS;
/** Midnight in any time zone is a whole number of these in UTC; a number in another unit hardly ever is. */
const QUARTER_HOUR_MS = 900_000;
/** As seconds: the years 5138 to 9998. The end of 9999 is written where there is no last day. */
const FIRST_FAR_MS = 1e14;
const LAST_FAR_MS = Date.UTC(9999, 0, 1);

/**
 * Parses a number of seconds or milliseconds since 1970 into `scan`, as a date and time in UTC; returns why it is not a
 * date. The day around the start of 1970 is none: programs write 0 and -1 for no date. The rest of 1970 is taken only
 * at a whole quarter of an hour: what is left are numbers of another unit.
 */
export function scanEpoch(
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
  if (date === 0) {
    const other = unit === "epoch" ? explainNumberAsDate(text, field) : undefined;
    return other ?? { reason: "it is outside the years 1000 to 9999" };
  }
  scan.setCertain(date);
  const isFirstDay = Math.abs(utcMs) < DAY_MS;
  const is1970 = utcMs >= DAY_MS && utcMs < YEAR_MS;
  if (isFirstDay || (is1970 && (hasRest || utcMs % QUARTER_HOUR_MS !== 0)))
    return explainStart(text, unit, spellDate(date), field);
  const sinceMidnight = ((utcMs % DAY_MS) + DAY_MS) % DAY_MS;
  scan.timeMs = sinceMidnight === 0 && hasRest ? 1 : sinceMidnight;
  scan.offsetMinutes = 0;
  return undefined;
}

/** Why a number at the start of 1970 is no date. */
function explainStart(
  text: string,
  unit: "epoch" | "epoch-ms",
  date: string,
  field: string | undefined,
): Unreadable {
  if (Number(text.replace(",", ".")) <= 0) {
    return { reason: `it is ${date}, which programs write for no date`, hint: noValueHint(text) };
  }
  if (COMPACT.test(text))
    return {
      reason: "it looks like a date without separators",
      hint: formatOption("YYYY-MM-DD", field),
    };
  const other = explainNumberAsDate(text, field);
  if (other !== undefined && !other.hint?.endsWith(unit)) return other;
  return { reason: `it would be ${date}: the number is probably in another unit` };
}
