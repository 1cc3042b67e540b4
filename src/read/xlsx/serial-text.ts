import { faultToken } from "./cell-fault.ts";

const DAY_MS = 86_400_000;
/** A sum of times may miss midnight by this, in milliseconds; Excel keeps about a tenth of it. */
const MIDNIGHT_NOISE_MS = 0.01;
/** Days from the day before the first serial to 1970. */
const BEFORE_1900 = 25_568;
const FIRST_1904 = 24_107;
const FALSE_LEAP_DAY = 60;
/** 31 December 9999 in days since 1970. */
const LAST_DAY = 2_932_896;

/** A serial number in the text that a CSV has for it, or the token of a fault. */
export interface SerialText {
  readonly text: string;
  readonly isFault: boolean;
}

/** A sheet has the same days again and again. */
const MOST_DAYS_KNOWN = 20_000;

/** The texts of whole days, each made once. */
export class KnownDays {
  readonly #texts = new Map<number, string>();
  readonly #is1904: boolean;

  constructor(is1904: boolean) {
    this.#is1904 = is1904;
  }

  /** The date of a day; `undefined` if it has none. */
  textOf(day: number): string | undefined {
    const known = this.#texts.get(day);
    if (known !== undefined) return known;
    const { text, isFault } = dateText(String(day), this.#is1904);
    if (isFault) return undefined;
    if (this.#texts.size < MOST_DAYS_KNOWN) this.#texts.set(day, text);
    return text;
  }
}

/** A date, with its time where it has one: `2024-03-26`, `2024-03-26T14:30:00`. */
export function dateText(source: string, is1904: boolean): SerialText {
  const { day, ms } = takeApart(source);
  if (!(day >= 0)) return fault("DATE", source);
  if (!is1904 && day === FALSE_LEAP_DAY) return fault("LEAPDAY", source);
  // The 1900 system has no day 0, and counts a day too many from 60 on.
  if (!is1904 && day === 0) return fault("DATE", source);
  const since1970 = is1904 ? day - FIRST_1904 : day - BEFORE_1900 - (day > FALSE_LEAP_DAY ? 1 : 0);
  if (since1970 > LAST_DAY) return fault("DATE", source);
  const date = new Date(since1970 * DAY_MS).toISOString().slice(0, 10);
  return { text: ms === 0 ? date : `${date}T${timeOf(ms)}`, isFault: false };
}

/** A time of day: `14:30:00`. A number of a day or more has a date, which its format hides. */
export function timeText(source: string): SerialText {
  const { day, ms } = takeApart(source);
  return day === 0 ? { text: timeOf(ms), isFault: false } : fault("TIME", source);
}

function takeApart(source: string): { day: number; ms: number } {
  const serial = Number(source);
  const day = Math.floor(serial);
  const exactMs = (serial - day) * DAY_MS;
  const ms = Math.round(exactMs);
  if (ms < DAY_MS) return { day, ms };
  return DAY_MS - exactMs < MIDNIGHT_NOISE_MS ? { day: day + 1, ms: 0 } : { day, ms: DAY_MS - 1 };
}

function timeOf(ms: number): string {
  const text = new Date(ms).toISOString().slice(11, 23);
  return text.endsWith(".000") ? text.slice(0, 8) : text;
}

function fault(what: "DATE" | "LEAPDAY" | "TIME", source: string): SerialText {
  return { text: faultToken(what, source), isFault: true };
}
