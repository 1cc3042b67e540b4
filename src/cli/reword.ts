import { RecPushError } from "../model/failure.ts";

/** The same failure with its texts changed. */
export function reword(failure: RecPushError, change: (text: string) => string): RecPushError {
  const { kind, code, message, hint, place, cause, options, choices, problems } = failure;
  return new RecPushError(kind, code, change(message), {
    ...(hint === undefined ? {} : { hint: change(hint) }),
    ...(place === undefined ? {} : { place }),
    cause,
    options: options.map(change),
    parts: failure.parts.map((part) => reword(part, change)),
    choices,
    problems,
  });
}
