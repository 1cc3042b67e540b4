import type { RecPushError } from "../model/failure.ts";

/** The same failure with its texts changed. */
export function reword(failure: RecPushError, change: (text: string) => string): RecPushError {
  return failure.reworded(change);
}
