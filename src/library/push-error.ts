import type { FailureCode } from "../model/failure-codes.ts";
import type { FailureKind, InputPlace, RecPushError } from "../model/failure.ts";
import type { SummaryEvent } from "../model/told-event.ts";

/** Why a push or a check stopped or did not start. `code` is of a closed set and stable; messages are for people. */
export class PushError extends Error {
  override readonly name: string = "PushError";
  readonly code: FailureCode;
  /** Failures of one kind end the command with one exit code. */
  readonly kind: FailureKind;
  /** An option with a value, or a command, that settles it. */
  readonly hint: string | undefined;
  readonly place: InputPlace | undefined;
  /** What became of the rows, and the next steps. */
  readonly summary: SummaryEvent;

  constructor({ kind, code, message, hint, place, cause }: RecPushError, summary: SummaryEvent) {
    // Of a failed request the cause may show what was sent with it; of an input it is the error of the caller's stream.
    super(message, kind === "input" && cause !== undefined ? { cause } : undefined);
    this.kind = kind;
    this.code = code;
    this.hint = hint;
    this.place = place;
    this.summary = summary;
  }
}
