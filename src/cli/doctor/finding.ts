import type { RecPushError } from "../../model/failure.ts";
import { exitCode } from "../../model/exit-code.ts";
import { notStarted } from "../not-started.ts";

/** A result of `rec-push doctor`. */
export interface Finding {
  readonly what: string;
  /** `unknown`: nothing shows it, or what it depends on has failed. */
  readonly state: "ok" | "warning" | "wrong" | "unknown";
  readonly text: string;
  /** The next step, if there is one. */
  readonly hint?: string;
  /** The exit code of a push that runs into this. */
  readonly exitCode?: number;
}

/** The finding for a failure with which a push would end. */
export function findingOf(what: string, failure: RecPushError): Finding {
  const { message, hint } = failure;
  const code = exitCode({ ...notStarted(failure), signal: undefined });
  return { what, state: "wrong", text: message, ...(hint === undefined ? {} : { hint }), exitCode: code };
}
