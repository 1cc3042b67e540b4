import { parseDecimal, parsePivotYear, parseTimeZone } from "../fields/field-rule-texts.ts";
import { parseDateFormat } from "../fields/type-text.ts";
import { decimalOf, mendedDecimal } from "../model/decimal-of.ts";
import { textsOf } from "../model/option-texts.ts";
import { badOptionValue } from "../model/refer-to-sheets.ts";
import { AS_FLAG, AS_QUANTITY, asText, inTable, option, REPLACE, replaceUnless } from "./declaration.ts";
import {
  choice,
  DECIDES_NOTHING,
  flag,
  KEPT,
  LEFT_OUT,
  NO_VARIABLE,
  NOT_KEPT,
  NOT_PINNED,
  pinned,
  PINNED_AS_GIVEN,
  REPEATED,
  SETTLED_BY_SURVEY,
  settledAnew,
  text,
} from "./output.ts";

/** Makes a parser of whole numbers of at least `least`. */
export function countFrom(least: number): (text: string, option: string) => number {
  return (text, option) => {
    if (/^\d{1,12}$/.test(text) && Number(text) >= least) return Number(text);
    throw badOptionValue(option, text, `a whole number of at least ${least}`);
  };
}

/** A port to listen on; 0 is any free one. */
export function parsePort(text: string, option: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw badOptionValue(option, text, "a number from 0 to 65535");
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
export function parseBytes(text: string, option: string): number {
  const [, digits, unit] = /^(\d{1,12}) ?([a-z]*)$/i.exec(text) ?? [];
  const factor = unit === undefined ? undefined : BYTE_UNITS[unit.toLowerCase()];
  if (digits === undefined || factor === undefined || Number(digits) === 0) {
    throw badOptionValue(option, text, "a size such as 65536, 512KiB or 1MB");
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

/** A limit on invalid rows: a number, or a share of the rows read. */
export type RowLimit = { readonly rows: number } | { readonly percent: number };

/** Reads `20` (rows) or `1.5%` (of the rows). */
export function parseRowLimit(text: string, option: string): RowLimit {
  const [, number, percent] = /^(\d{1,12}(?:\.\d{1,6})?)(%)?$/.exec(text) ?? [];
  if (percent !== undefined && Number(number) <= 100) return { percent: Number(number) };
  if (percent === undefined && number !== undefined && !number.includes(".")) return { rows: Number(number) };
  throw badOptionValue(option, text, "a number of rows such as 20, or a share of them such as 1%");
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

/** Options for values and rows. A run keeps them. */
const VALUES = {
  commands: { push: true, plan: true, check: true, init: true, ledger: true },
  environment: NO_VARIABLE,
  journal: KEPT,
  mended: REPEATED,
} as const;

/** The second half of the group "Columns and values". */
export const VALUE_OPTIONS = {
  dateFormat: option({
    ...VALUES,
    form: text("<format>", parseDateFormat),
    help: "DD/MM/YYYY, MM/DD/YYYY, YYYY-MM-DD, YY-MM-DD, DDMMYYYY, excel, epoch, epoch-ms",
    config: [inTable(asText(), REPLACE)],
    records: SETTLED_BY_SURVEY,
    // Each date field has its own format, among the rules of the field.
    init: NOT_PINNED,
  }),
  decimal: option({
    ...VALUES,
    form: text("<mark>", parseDecimal, { values: [",", "."] }),
    help: "decimal mark of amounts",
    config: [inTable(asText(), REPLACE)],
    records: SETTLED_BY_SURVEY,
    mended: settledAnew(({ survey, line, merged }) => {
      const settled = merged["decimal"] === undefined ? mendedDecimal(survey) : undefined;
      return textsOf(settled === undefined ? line : { decimal: settled }, "decimal");
    }),
    init: pinned((survey, { pins }) => decimalOf(survey.columns) ?? pins.decimal),
  }),
  pivotYear: option({
    ...VALUES,
    form: text("<year>", parsePivotYear),
    help: "first of the hundred years that two digits mean: 45 is 1945 to 2044",
    config: [inTable(AS_QUANTITY, REPLACE)],
    records: SETTLED_BY_SURVEY,
    init: PINNED_AS_GIVEN,
  }),
  timeZone: option({
    ...VALUES,
    form: text("<name>", parseTimeZone),
    help: "zone whose day counts for date-times with a zone: Europe/Paris",
    config: [inTable(asText(), REPLACE)],
    records: SETTLED_BY_SURVEY,
    init: PINNED_AS_GIVEN,
  }),
  empty: option({
    ...VALUES,
    form: choice("<how>", ["omit", "send"]),
    help: 'leave empty cells out (the default), or send them as ""',
    config: [inTable(asText(), REPLACE)],
    records: { kind: "compared", describe: (how = "omit") => how },
    init: PINNED_AS_GIVEN,
  }),
  only: option({
    ...VALUES,
    form: choice("<kind>", ["updates", "creates"]),
    help: "treat rows of the other kind as invalid",
    config: [inTable(asText(), REPLACE)],
    records: { kind: "compared", describe: (kind) => kind ?? "both kinds" },
    init: PINNED_AS_GIVEN,
  }),
  onRepeat: option({
    ...VALUES,
    form: choice("<how>", ["all", "last", "stop"]),
    help: "rows with the same key: send all in order (the default), only the last, or stop",
    config: [inTable(asText(), REPLACE)],
    records: { kind: "compared", describe: (how = "all") => how },
    init: PINNED_AS_GIVEN,
  }),
  pinned: option({
    ...VALUES,
    form: flag(),
    help: "infer nothing: stop if an option is missing that says how the file is read",
    config: [inTable(AS_FLAG, REPLACE)],
    // The formats of a run are settled when it begins.
    journal: NOT_KEPT,
    records: DECIDES_NOTHING,
    init: PINNED_AS_GIVEN,
  }),
  onInvalid: option({
    ...VALUES,
    form: choice("<how>", ["stop", "skip"]),
    help: "invalid rows stop the run before anything is sent (the default), or are left out",
    commands: {
      push: true,
      plan: true,
      check: true,
      init: true,
      ledger: "invalid rows stop the command (the default), or are left out",
    },
    config: [inTable(asText(), REPLACE)],
    records: { kind: "compared", describe: (how = "stop") => how },
    mended: LEFT_OUT,
    init: PINNED_AS_GIVEN,
  }),
  maxInvalid: option({
    ...VALUES,
    form: text("<rows>", parseRowLimit),
    help: "with --on-invalid skip: stop, and send nothing, if more rows than this are invalid: 20, or 1%",
    config: [
      inTable(
        asText(),
        replaceUnless((more) => more["onInvalid"] === "stop"),
      ),
    ],
    records: DECIDES_NOTHING,
    mended: LEFT_OUT,
    init: PINNED_AS_GIVEN,
  }),
};
