import { badOptionValue } from "../model/bad-option-value.ts";
import { RecPushError } from "../model/failure.ts";
import { checkField, parseList, readPairs, splitAtCommas } from "./field-option-texts.ts";
import { compilePattern } from "./record/field-checks.ts";

/** Reads `--default field=value`. Throws a usage error. */
export function parseDefaults(texts: readonly string[], option: string): ReadonlyMap<string, string> {
  const wanted = "a field and the value that empty cells get, as in --default state=open";
  return readPairs(texts, option, wanted, (_, value) => value);
}

/** Reads `--required`: fields separated by commas. Throws a usage error. */
export function parseRequired(texts: readonly string[], option: string): readonly string[] {
  return parseList(texts, option).map((field) => checkField(option, field));
}

/** Reads `--pattern field=REGEX`. Throws a usage error. */
export function parsePatterns(texts: readonly string[], option: string): ReadonlyMap<string, string> {
  const wanted = "a field and its pattern, as in --pattern 'code=[A-Z]{2}[0-9]+'";
  return readPairs(texts, option, wanted, (field, pattern, text) => {
    if (pattern === "") throw badOptionValue(option, text, wanted);
    return checkPattern(pattern, `${option} ${field}`);
  });
}

/** Returns the pattern if it is a regular expression. Throws a usage error. */
export function checkPattern(pattern: string, option: string): string {
  try {
    compilePattern(option, pattern);
  } catch (cause) {
    if (!(cause instanceof RecPushError)) throw cause;
    throw badOptionValue(option, pattern, "a regular expression of JavaScript (flag u)", cause.cause);
  }
  return pattern;
}

/** Reads `--one-of field=values`: values separated by commas. Throws a usage error. */
export function parseOneOf(texts: readonly string[], option: string): ReadonlyMap<string, readonly string[]> {
  const wanted = "a field and its values, as in --one-of state=open,closed";
  return readPairs(texts, option, wanted, (_, values, text) => {
    if (values === "") throw badOptionValue(option, text, wanted);
    return splitAtCommas(values);
  });
}
