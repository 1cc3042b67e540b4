import { RecPushError } from "../../model/failure.ts";
import type { DeclaredField } from "../field-options.ts";
import { quoteText } from "../../model/visible-text.ts";
import { matches } from "./bound-matching.ts";
import type { FieldType, Unreadable } from "../value.ts";

/** Returns what is wrong with a wire value; `undefined` if nothing is. */
export type CheckValue = (value: string) => Unreadable | undefined;

const MOST_VALUES_SHOWN = 10;

/**
 * The checks that a field declares, as one function; `undefined` if it declares none. Throws a usage error for an
 * invalid pattern, and for checks of dates and amounts, because their wire values are only known once the whole column
 * is.
 */
export function fieldCheck(
  field: string,
  type: FieldType,
  declared: DeclaredField | undefined,
): CheckValue | undefined {
  const { pattern, oneOf } = declared ?? {};
  if (pattern === undefined && oneOf === undefined) return undefined;
  if (type.kind === "date" || type.kind === "amount") {
    throw new RecPushError(
      "usage",
      "check-of-type",
      `field ${field}: pattern and oneOf are for text and digits`,
      {
        hint: `${field} is ${type.kind}: its type is the check`,
      },
    );
  }
  const form = pattern === undefined ? undefined : compilePattern(field, pattern);
  const possible = oneOf === undefined ? undefined : new Set(oneOf);
  return (value) => {
    if (form !== undefined && !matches({ field, form, pattern: pattern!, value }))
      return { reason: `it does not match the pattern ${pattern}` };
    if (possible !== undefined && !possible.has(value))
      return { reason: `it is not one of ${listValues(possible)}` };
    return undefined;
  };
}

/** Compiles a pattern to a regular expression for whole values. Throws a usage error. */
export function compilePattern(field: string, pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`, "u");
  } catch (cause) {
    const message = `field ${field}: ${quoteText(pattern)} is not a regular expression`;
    throw new RecPushError("usage", "bad-pattern", message, { cause });
  }
}

function listValues(values: ReadonlySet<string>): string {
  const shown = [...values]
    .slice(0, MOST_VALUES_SHOWN)
    .map((value) => quoteText(value))
    .join(", ");
  return values.size > MOST_VALUES_SHOWN ? `${shown} ...` : shown;
}
