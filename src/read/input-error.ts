import type { FailureCode } from "../model/failure-codes.ts";
import { RecPushError, type InputPlace } from "../model/failure.ts";

/** An input error whose message begins with the place: `orders.csv:12:3: ...`. */
export function inputError(
  place: InputPlace,
  code: FailureCode,
  what: string,
  more: { readonly hint?: string | undefined; readonly cause?: unknown } = {},
): RecPushError {
  const at = [place.file, place.line, place.column].filter((part) => part !== undefined).join(":");
  return new RecPushError(code, `${at}: ${what}`, {
    place,
    cause: more.cause,
    ...(more.hint === undefined ? {} : { hint: more.hint }),
  });
}
