import { badOptionValue } from "../model/bad-option-value.ts";
import { parsePivot, spellPivot } from "./date/two-digit-year.ts";
import type { DateFormat, FieldType } from "./value.ts";

/** The date formats that options accept, in the order of the help. */
const DATE_FORMATS: readonly DateFormat[] = [
  "DD/MM/YYYY",
  "MM/DD/YYYY",
  "YYYY-MM-DD",
  "YY-MM-DD",
  "DDMMYYYY",
  "excel",
  "epoch",
  "epoch-ms",
];

const TYPES =
  "text, text! (nothing in it is noted), digits, amount, amount:2, amount:, (decimal comma), date, date:DD/MM/YYYY or date:45 (45 is 1945)";

// Far more than any currency has; a larger number is a mistake.
const MOST_DECIMALS = 20;

/**
 * Reads a type as `--type` and the config write it: `text`, `amount:2`, `amount:,`, `date:DD/MM/YYYY`. Throws a usage
 * error.
 */
export function parseType(text: string, option: string): FieldType {
  const colon = text.indexOf(":");
  const kind = colon === -1 ? text : text.slice(0, colon);
  const detail = colon === -1 ? undefined : text.slice(colon + 1);
  if (text === "text!") return { kind: "text", isCertain: true };
  if (kind === "date") return detail === undefined ? { kind } : parseDate(detail, option);
  if (kind === "amount") return detail === undefined ? { kind } : parseAmount(detail, option);
  if ((kind === "text" || kind === "digits") && detail === undefined) return { kind };
  throw badOptionValue(option, text, TYPES);
}

/** Reads a date format in any case. Throws a usage error that lists the formats. */
export function parseDateFormat(text: string, option: string): DateFormat {
  const format = DATE_FORMATS.find((known) => known.toLowerCase() === text.trim().toLowerCase());
  if (format !== undefined) return format;
  throw badOptionValue(option, text, `one of ${DATE_FORMATS.join(", ")}`);
}

/** Reads `DD/MM/YYYY`, `45` or `DD/MM/YYYY:45`. */
function parseDate(detail: string, option: string): FieldType {
  const colon = detail.lastIndexOf(":");
  const pivotYear = parsePivot(detail.slice(colon + 1));
  if (pivotYear === undefined) return { kind: "date", format: parseDateFormat(detail, option) };
  if (colon === -1) return { kind: "date", pivotYear };
  return { kind: "date", format: parseDateFormat(detail.slice(0, colon), option), pivotYear };
}

/** Reads `2`, `,` or `2:,`. */
function parseAmount(detail: string, option: string): FieldType {
  const colon = detail.indexOf(":");
  const [scale, mark] =
    colon === -1
      ? [isMark(detail) ? undefined : detail, isMark(detail) ? detail : undefined]
      : [detail.slice(0, colon), detail.slice(colon + 1)];
  if (mark !== undefined && !isMark(mark)) {
    const marks = "amount:2:, (two decimals after a comma) or amount:2:. (after a point)";
    throw badOptionValue(option, `amount:${detail}`, marks);
  }
  return {
    kind: "amount",
    ...(scale === undefined ? {} : { scale: parseScale(scale, option) }),
    ...(mark === undefined ? {} : { decimal: mark }),
  };
}

function isMark(text: string): text is "." | "," {
  return text === "." || text === ",";
}

function parseScale(text: string, option: string): number {
  const scale = /^\d{1,2}$/.test(text) ? Number(text) : Infinity;
  if (scale <= MOST_DECIMALS) return scale;
  throw badOptionValue(
    option,
    `amount:${text}`,
    `a number of decimals, 0 to ${MOST_DECIMALS}, as in amount:2`,
  );
}

/** True for a name that {@link parseDateFormat} accepts as it is. */
export function isDateFormat(text: string | undefined): text is DateFormat {
  return DATE_FORMATS.some((format) => format === text);
}

/** Writes a type in the form that {@link parseType} reads. */
export function spellType(type: FieldType): string {
  return partsOf(type)
    .filter((part) => part !== undefined)
    .join(":");
}

function partsOf(type: FieldType): readonly (string | number | undefined)[] {
  if (type.kind === "amount") return [type.kind, type.scale, type.decimal];
  if (type.kind === "text" && type.isCertain === true) return ["text!"];
  if (type.kind !== "date") return [type.kind];
  return [type.kind, type.format, type.pivotYear === undefined ? undefined : spellPivot(type.pivotYear)];
}

/** The type that says what two say; `undefined` if they contradict each other. `date` and `date:DD/MM/YYYY` do not. */
export function combineTypes(left: FieldType, right: FieldType): FieldType | undefined {
  const both: FieldType = { ...left, ...right };
  const after = new Map<string, unknown>(Object.entries(both));
  return Object.entries(left).every(([part, value]) => after.get(part) === value) ? both : undefined;
}
