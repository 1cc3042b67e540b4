import { RecPushError } from "../model/failure.ts";
import { isIdentifier } from "./columns/column-names.ts";
import type { MapRule } from "./field-options.ts";
import { KEY_FIELD } from "./columns/known-fields.ts";
import { quoteText } from "../model/visible-text.ts";
import { parseType } from "./type-text.ts";
import type { FieldType, FormatPins } from "./value.ts";

/** Reads `--map COLUMN=field`. A header may hold `=`, a field cannot: the last one separates. Throws usage. */
export function parseMap(texts: readonly string[]): MapRule[] {
  return texts.map((text) => {
    const equals = text.lastIndexOf("=");
    const column = text.slice(0, Math.max(equals, 0)).trim();
    const field = text.slice(equals + 1).trim();
    if (column === "")
      throw misuse("--map", text, 'a column and its field, as in --map "Order No=num_commande"');
    return { column, field: checkField("--map", field) };
  });
}

/** Reads `--type field=TYPE`. Throws usage, also where a field is given two types. */
export function parseTypes(texts: readonly string[]): ReadonlyMap<string, FieldType> {
  const types = new Map<string, FieldType>();
  for (const text of texts) {
    const { field, value } = splitField(
      "--type",
      text,
      "a field and its type, as in --type date_paid=date:DD/MM/YYYY",
    );
    if (types.has(field)) throw givenTwice("--type", field);
    const type = parseType(value.trim(), `--type ${field}`);
    if (field === KEY_FIELD && type.kind !== "text") {
      throw new RecPushError(
        "usage",
        "key-type",
        `--type ${text}: ${KEY_FIELD} is the key, and its type is fixed`,
      );
    }
    types.set(field, type);
  }
  return types;
}

/** Reads `--set field=value`, the value as it is, spaces included. Throws usage. */
export function parseSet(texts: readonly string[]): ReadonlyMap<string, string> {
  const constants = new Map<string, string>();
  for (const text of texts) {
    const { field, value } = splitField("--set", text, "a field and its value, as in --set source=web");
    if (constants.has(field)) throw givenTwice("--set", field);
    if (field === KEY_FIELD) {
      throw new RecPushError(
        "usage",
        "constant-key",
        `--set ${text}: one ${KEY_FIELD} for every row would make all of them one record`,
        {
          hint: `name the column that holds the keys: --map COLUMN=${KEY_FIELD}`,
        },
      );
    }
    constants.set(field, value);
  }
  return constants;
}

/** Reads `--drop` and `--keep`: names between commas, `\,` for a comma inside a name. Throws usage. */
export function parseList(texts: readonly string[], option: string): string[] {
  const names = texts.flatMap(splitAtCommas).map((name) => name.trim());
  if (names.includes(""))
    throw misuse(option, texts.join(" "), `names between commas, as in ${option} remarks,4`);
  return names;
}

/** Reads `--null`: cells between commas, `\,` for a comma inside one; spaces count. */
export function parseNulls(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap(splitAtCommas))].filter((text) => text !== "");
}

/** Reads `--decimal`. Throws usage. */
export function parseDecimal(text: string): NonNullable<FormatPins["decimal"]> {
  if (text === "." || text === ",") return text;
  throw misuse("--decimal", text, "a point or a comma, as in --decimal ,");
}

/** Reads `--time-zone`, in any case, and gives the name as the time zone database writes it. Throws usage. */
export function parseTimeZone(text: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch (cause) {
    throw misuse(
      "--time-zone",
      text,
      "a name of the time zone database, as in --time-zone Europe/Paris",
      cause,
    );
  }
}

/** Splits `field=value` at the first `=`. Throws usage. */
export function splitField(option: string, text: string, wanted: string): { field: string; value: string } {
  const equals = text.indexOf("=");
  if (equals < 1) throw misuse(option, text, wanted);
  return { field: checkField(option, text.slice(0, equals).trim()), value: text.slice(equals + 1) };
}

/** Splits at commas; one after a backslash belongs to the name. */
export function splitAtCommas(text: string): string[] {
  return text.split(/(?<!\\),/).map((part) => part.replaceAll("\\,", ","));
}

/** Gives the field back where its name can be one. Throws usage. */
export function checkField(option: string, field: string): string {
  if (isIdentifier(field)) return field;
  throw new RecPushError("usage", "not-a-field", `${option}: ${quoteText(field)} cannot be a field`, {
    hint: "a field begins with a letter or _ and holds letters, digits and _ only",
  });
}

/** The fault of an option that names a field twice. */
export function givenTwice(option: string, field: string): RecPushError {
  return new RecPushError("usage", "given-twice", `${option} names ${field} twice`, {
    hint: "leave one of them out",
  });
}

/** The fault of an option whose text is not what it takes. */
export function misuse(option: string, text: string, wanted: string, cause?: unknown): RecPushError {
  return new RecPushError("usage", "bad-option-value", `${option} ${quoteText(text)} is not ${wanted}`, {
    cause,
  });
}
