import type { Input, Run } from "./api.ts";
import { workOf } from "./begin-command.ts";
import { makeRun } from "./make-run.ts";
import type { CheckOptions, PushOptions } from "./options.ts";

export type { FailureCode } from "../model/failure-codes.ts";
export type { FailureKind } from "../model/failure.ts";
export type {
  BatchEvent,
  BeganEvent,
  ErrorEvent,
  NoticeEvent,
  RejectEvent,
  ResumedEvent,
  SummaryEvent,
  SurveyEvent,
  WaitingEvent,
} from "../model/event.ts";
export type { BytesInput, Input, OwnOptions, PushEvent, RowsInput, Run } from "./api.ts";
export { PushError } from "./api.ts";
export type { CheckOptions, PushOptions } from "./options.ts";

/**
 * Pushes an input into a table, as `rec-push` does: surveyed before anything is sent, resumed where an earlier push of
 * the same content stopped. Options, environment and configs count as on a command line.
 */
export function push(input: Input, options: PushOptions = {}): Run {
  return makeRun(workOf("push", input, options), options.signal);
}

/** Reads an input as {@link push} would, and sends nothing. */
export function check(input: Input, options: CheckOptions = {}): Run {
  return makeRun(workOf("check", input, options), options.signal);
}
