import type { RecPushError } from "../../model/failure.ts";

/** True for a failure that the user's answers may settle. */
export function isForAPerson({ kind, choices, options, problems }: RecPushError): boolean {
  const isAsked = options.length > 0 || (choices ?? []).length > 0;
  return kind === "input" && choices !== undefined && isAsked && problems.length === 0;
}
