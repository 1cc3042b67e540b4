import { RecPushError } from "../model/failure.ts";
import type { DateFormat, FieldType } from "./value.ts";

/** The date formats that options take, in the order of the help. */
const DATE_FORMATS: readonly DateFormat[] = [
  "DD/MM/YYYY",
  "MM/DD/YYYY",
  "YYYY-MM-DD",
  "YY-MM-DD",
  "excel",
  "epoch",
  "epoch-ms",
];

// Far more than any currency has; a larger number is a slip.
const MOST_DECIMALS = 20;

/** Reads a type as `--type` and the config write it: `text`, `amount:2`, `amount:,`, `date:DD/MM/YYYY`. Throws usage. */
export function parseType(text: string, option: string): FieldType {
  const colon = text.indexOf(":");
  const kind = colon === -1 ? text : text.slice(0, colon);
  const detail = colon === -1 ? undefined : text.slice(colon + 1);
  if (kind === "date")
    return detail === undefined ? { kind } : { kind, format: parseDateFormat(detail, option) };
  if (kind === "amount") return detail === undefined ? { kind } : parseAmount(detail, option);
  if ((kind === "text" || kind === "digits") && detail === undefined) return { kind };
  throw new RecPushError("usage", "unknown-type", `${option}: "${text}" is not a type`, {
    hint: "the types are text, digits, amount, amount:2, amount:, (decimal comma), date and date:DD/MM/YYYY",
  });
}

/** Reads a date format in any case. Throws usage with the list of them. */
export function parseDateFormat(text: string, option: string): DateFormat {
  const format = DATE_FORMATS.find((known) => known.toLowerCase() === text.trim().toLowerCase());
  if (format !== undefined) return format;
  throw new RecPushError("usage", "unknown-date-format", `${option}: "${text}" is not a date format`, {
    hint: `the date formats are ${DATE_FORMATS.join(", ")}`,
  });
}

/** `2`, `,` or `2:,`. */
function parseAmount(detail: string, option: string): FieldType {
  const colon = detail.indexOf(":");
  const [scale, mark] =
    colon === -1
      ? [isMark(detail) ? undefined : detail, isMark(detail) ? detail : undefined]
      : [detail.slice(0, colon), detail.slice(colon + 1)];
  if (mark !== undefined && !isMark(mark)) {
    throw new RecPushError("usage", "unknown-type", `${option}: "${mark}" is not a decimal mark`, {
      hint: "amount:2:, has two decimals behind a comma, amount:2:. behind a point",
    });
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
  throw new RecPushError("usage", "unknown-type", `${option}: "${text}" is not a number of decimals`, {
    hint: `amount:2 pads amounts to two decimals; 0 to ${MOST_DECIMALS} are possible`,
  });
}

/** True for a name that {@link parseDateFormat} takes as it is. */
export function isDateFormat(text: string | undefined): text is DateFormat {
  return DATE_FORMATS.some((format) => format === text);
}

/** Writes a type as {@link parseType} reads it. */
export function spellType(type: FieldType): string {
  if (type.kind === "date" && type.format !== undefined) return `date:${type.format}`;
  return type.kind === "amount"
    ? ["amount", type.scale, type.decimal].filter((part) => part !== undefined).join(":")
    : type.kind;
}
