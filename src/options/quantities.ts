import { badOptionValue } from "../model/text.ts";

/** Makes a parser of whole numbers of at least `least` and at most `most`. */
export function numberFrom(least: number, most = Infinity): (text: string, option: string) => number {
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  return (text, option) => {
    if (/^\d{1,12}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw badOptionValue(option, text, `a whole number ${range}`);
  };
}

/** Requests in flight: a whole number of at least 1, or as many as the service can handle: `auto`, or `auto:8` for at most 8. */
export function parseConcurrency(text: string, option: string): number | "auto" | { readonly most: number } {
  if (text === "auto") return text;
  const [, auto, number = ""] = /^(auto:)?(\d{1,12})$/.exec(text) ?? [];
  if (Number(number) >= 1) return auto === undefined ? Number(number) : { most: Number(number) };
  throw badOptionValue(option, text, "auto, auto:N for at most N, or a whole number of at least 1");
}

/** Requests per second: a number above zero, fractions allowed. */
export function parseRate(text: string, option: string): number {
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text) && Number(text) > 0) return Number(text);
  throw badOptionValue(option, text, "a number above 0, such as 20 or 0.5");
}

const BYTE_UNITS: Readonly<Record<string, number>> = { "": 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 };

/** A size in bytes: `65536`, `512KiB`. */
export function parseBytes(text: string, option: string): number {
  const [, digits, unit] = /^(\d{1,12}) ?([a-z]*)$/i.exec(text) ?? [];
  const factor = unit === undefined ? undefined : BYTE_UNITS[unit.toLowerCase()];
  if (digits === undefined || factor === undefined || Number(digits) === 0) {
    throw badOptionValue(option, text, "a size such as 65536, 512KiB or 1MiB");
  }
  return Number(digits) * factor;
}

const TIME_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };
/** Node's timers allow no longer delay. */
const MAX_TIME_MS = 2 ** 31 - 1;

/** A time in milliseconds: `500ms`, `60s`, `15m`, `2h`; a bare number counts seconds. */
export function parseDuration(text: string, option: string): number {
  const [, number, unit = "s"] = /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|s|m|min|h)?$/.exec(text) ?? [];
  const ms = Number(number) * (TIME_UNITS[unit] ?? Number.NaN);
  if (ms >= 0 && ms <= MAX_TIME_MS) return ms;
  throw badOptionValue(option, text, "a time such as 500ms, 60s or 15m");
}

/** A time above zero, in milliseconds. */
export function parseTimeout(text: string, option: string): number {
  const ms = parseDuration(text, option);
  if (ms > 0) return ms;
  throw badOptionValue(option, text, "a time above 0, such as 60s");
}

/** Statuses whose outcome is open unless the user knows the service: 408 and 5xx. */
export function parseStatuses(text: string, option: string): ReadonlySet<number> {
  return new Set(
    text.split(",").map((part) => {
      const status = part.trim();
      if (/^(408|5\d\d)$/.test(status)) return Number(status);
      throw badOptionValue(option, text, "408 or statuses from 500 to 599, such as 503");
    }),
  );
}

/** Requests per period: `20/10s`. Throws a usage error. */
export function parseLimit(
  text: string,
  option: string,
): { readonly requests: number; readonly seconds: number } {
  const [count = "", time = ""] = text.split("/");
  const seconds = /^\d/.test(time) ? parseDuration(time, option) / 1000 : 0;
  if (/^[1-9]\d{0,8}$/.test(count) && seconds > 0) return { requests: Number(count), seconds };
  throw badOptionValue(option, text, "requests and a time, such as 20/10s");
}
