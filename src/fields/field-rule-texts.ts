import { RecPushError } from "../model/failure.ts";
import { badOptionValue, quoteWord } from "../model/text.ts";
import { isIdentifier } from "./columns/column-faults.ts";
import { KEY_FIELD } from "./columns/other-columns.ts";
import { parsePivot } from "./date/calendar.ts";
import type { MapRule } from "./field-options.ts";
import { wholePattern } from "./record/field-plan.ts";
import { combineTypes, type FieldType, type FormatPins, parseType } from "./type-text.ts";

/** Returns the pattern if it is a regular expression. Throws a usage error. */
export function checkPattern(pattern: string, option: string): string {
  try {
    wholePattern(pattern);
  } catch (cause) {
    throw badOptionValue(option, pattern, "a regular expression of JavaScript (flag u)", cause);
  }
  return pattern;
}

/**
 * Reads `--map COLUMN=field`. A header may contain `=` and a field cannot, so the last `=` separates them. Throws a
 * usage error.
 */
export function parseMap(texts: readonly string[], option: string): MapRule[] {
  return texts.map((text) => {
    const equals = text.lastIndexOf("=");
    const column = text.slice(0, Math.max(equals, 0)).trim();
    const field = text.slice(equals + 1).trim();
    if (column === "")
      throw badOptionValue(option, text, 'a column and its field, as in --map "Order No=num_commande"');
    return { column, field: checkField(option, field) };
  });
}

/** Reads `--type field=TYPE`. Throws a usage error, also if a field is given two types that contradict each other. */
export function parseTypes(texts: readonly string[], option: string): ReadonlyMap<string, FieldType> {
  const wanted = "a field and its type, as in --type date_paid=date:DD/MM/YYYY";
  const read = (field: string, value: string): FieldType => {
    const type = parseType(value.trim(), `${option} ${field}`);
    if (field !== KEY_FIELD || type.kind === "text") return type;
    const message = `${option} ${field}=${value}: ${KEY_FIELD} is the key, and its type is fixed`;
    throw new RecPushError("bad-option-value", message);
  };
  return readPairs(texts, option, wanted, read, combineTypes);
}

/** Reads `--set field=value`; the value is taken as it is, spaces included. Throws a usage error. */
export function parseSet(texts: readonly string[], option: string): ReadonlyMap<string, string> {
  return readPairs(texts, option, "a field and its value, as in --set source=web", (field, value) => {
    if (field !== KEY_FIELD) return value;
    const message = `${option} ${field}=${value}: one ${KEY_FIELD} for every row would make all of them one record`;
    throw new RecPushError("contradicting-options", message, {
      hint: `name the column that holds the keys: --map COLUMN=${KEY_FIELD}`,
    });
  });
}

/** Reads `--drop` and `--keep`: names separated by commas, `\,` for a comma inside a name. Throws a usage error. */
export function parseList(texts: readonly string[], option: string): string[] {
  const names = texts.flatMap(splitAtCommas).map((name) => name.trim());
  if (names.includes(""))
    throw badOptionValue(option, texts.join(" "), "names between commas, such as remarks,4");
  return names;
}

/** Reads `--null` and `--key-literal`: cells separated by commas, `\,` for a comma inside one; spaces count. */
export function parseNulls(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap(splitAtCommas))].filter((text) => text !== "");
}

/** Reads `--decimal`. Throws a usage error. */
export function parseDecimalMark(text: string, option: string): NonNullable<FormatPins["decimal"]> {
  if (text === "." || text === ",") return text;
  throw badOptionValue(option, text, "a point or a comma");
}

/** Reads `--pivot-year`. Throws a usage error. */
export function parsePivotYear(text: string, option: string): number {
  const year = parsePivot(text.trim());
  if (year !== undefined) return year;
  throw badOptionValue(option, text, "a year from 0 to 99 or from 1900 to 2000");
}

/** Reads `--time-zone`, in any case, and returns the name as the time zone database writes it. Throws a usage error. */
export function parseTimeZone(text: string, option: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch (cause) {
    throw badOptionValue(option, text, "a name of the time zone database, such as Europe/Paris", cause);
  }
}

/**
 * Reads texts `field=value`, split at the first `=`. Throws a usage error, also if a field is named twice with values
 * that cannot be combined.
 */
export function readPairs<Value>(
  texts: readonly string[],
  option: string,
  wanted: string,
  read: (field: string, value: string, text: string) => Value,
  combine: (before: Value, value: Value) => Value | undefined = () => undefined,
): ReadonlyMap<string, Value> {
  const pairs = new Map<string, Value>();
  const given = new Map<string, string>();
  for (const text of texts) {
    const equals = text.indexOf("=");
    if (equals < 1) throw badOptionValue(option, text, wanted);
    const field = checkField(option, text.slice(0, equals).trim());
    const before = pairs.get(field);
    const value = read(field, text.slice(equals + 1), text);
    const both = before === undefined ? value : combine(before, value);
    if (both === undefined) {
      throw new RecPushError("contradicting-options", `${option} names ${field} twice`, {
        hint: `leave out ${option} ${quoteWord(given.get(field) ?? "")} or ${option} ${quoteWord(text)}`,
      });
    }
    pairs.set(field, both);
    given.set(field, text);
  }
  return pairs;
}

/** Splits at commas; a comma after a backslash belongs to the name. */
export function splitAtCommas(text: string): string[] {
  return text.split(/(?<!\\),/).map((part) => part.replaceAll("\\,", ","));
}

/** Returns the field if its name is valid. Throws a usage error. */
function checkField(option: string, field: string): string {
  if (isIdentifier(field)) return field;
  throw badOptionValue(option, field, "a field: a letter or _, then letters, digits and _ only");
}
