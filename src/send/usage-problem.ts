import type { FailureCode } from "../model/failure-codes.ts";
import { RecPushError } from "../model/failure.ts";

/** A wrong option or setting; nothing was sent. The message never quotes a value that may be secret. */
export function usageProblem(code: FailureCode, message: string, hint: string): RecPushError {
  return new RecPushError("usage", code, message, { hint });
}
