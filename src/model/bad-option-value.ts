import { RecPushError } from "./failure.ts";
import { quoteText } from "./visible-text.ts";

/**
 * The error for a bad option value. `option` is a flag or the path of a key in the config; `expected` continues the
 * sentence "expected ...".
 */
export function badOptionValue(
  option: string,
  value: string,
  expected: string,
  cause?: unknown,
): RecPushError {
  return new RecPushError(
    "usage",
    "bad-option-value",
    `${option} ${quoteText(value)}: expected ${expected}`,
    {
      cause,
    },
  );
}
