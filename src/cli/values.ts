import { RecPushError } from "../model/failure.ts";

/** The fault of an option's value: what it was, what it must be. */
export function wrongValue(option: string, value: string, expected: string): RecPushError {
  return new RecPushError("usage", "wrong-value", `${option} "${value}": expected ${expected}`);
}

/** A whole number of at least `least`. */
export function parseCount(option: string, value: string, least = 1): number {
  if (/^\d{1,12}$/.test(value) && Number(value) >= least) return Number(value);
  throw wrongValue(option, value, `a whole number of at least ${least}`);
}

/** Requests in flight: a whole number of at least 1, or `auto`. */
export function parseConcurrency(option: string, value: string): number | "auto" {
  if (value === "auto") return value;
  if (/^\d/.test(value)) return parseCount(option, value);
  throw wrongValue(option, value, "auto or a whole number of at least 1");
}

/** Requests a second: a number above zero, fractions allowed. */
export function parseRate(option: string, value: string): number {
  if (/^\d{1,6}(\.\d{1,6})?$/.test(value) && Number(value) > 0) return Number(value);
  throw wrongValue(option, value, "a number above 0, such as 20 or 0.5");
}

const BYTE_UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1024,
  kb: 1000,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1000 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1000 ** 3,
  gib: 1024 ** 3,
};

/** A size in bytes: `65536`, `512KiB`, `1MB`. */
export function parseBytes(option: string, value: string): number {
  const [, digits, unit] = /^(\d{1,12}) ?([a-z]*)$/i.exec(value) ?? [];
  const factor = unit === undefined ? undefined : BYTE_UNITS[unit.toLowerCase()];
  if (digits === undefined || factor === undefined || Number(digits) === 0) {
    throw wrongValue(option, value, "a size such as 65536, 512KiB or 1MB");
  }
  return Number(digits) * factor;
}

const TIME_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };
/** Timers of Node hold no longer delay. */
const MAX_TIME_MS = 2 ** 31 - 1;

/** A time in milliseconds: `500ms`, `60s`, `15m`, `2h`; a bare number counts seconds. */
export function parseDuration(option: string, value: string): number {
  const [, number, unit = "s"] = /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|s|m|min|h)?$/.exec(value) ?? [];
  const ms = Number(number) * (TIME_UNITS[unit] ?? Number.NaN);
  if (ms >= 0 && ms <= MAX_TIME_MS) return ms;
  throw wrongValue(option, value, "a time such as 500ms, 60s or 15m");
}
