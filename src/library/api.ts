import type { FailureCode } from "../model/failure-codes.ts";
import type { FailureKind, InputPlace, RecPushError } from "../model/failure.ts";
import type { SummaryEvent, ToldEvent } from "../model/event.ts";

/** The content of one file from anywhere: a stream of Node, a web stream, a download. */
export interface BytesInput {
  readonly bytes: string | Uint8Array | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;
  /** For messages only. */
  readonly name?: string | undefined;
}

/**
 * Rows as objects, each member a column. Texts, numbers, bigints, booleans, null and dates are taken; a member that is
 * undefined is absent.
 */
export interface RowsInput {
  readonly rows: AsyncIterable<object> | Iterable<object>;
  /** For messages only. */
  readonly name?: string | undefined;
}

/** Paths of files, or one input that is given as a stream; `[]` for a shard of a plan. */
export type Input = string | URL | readonly (string | URL)[] | BytesInput | RowsInput;

/** What a program gives beside the options of the command line. */
export interface OwnOptions {
  /** Stops the run in order: no new batch, no retry; requests in flight get `grace`. The same push goes on with it. */
  readonly signal?: AbortSignal | undefined;
  /** The access token. */
  readonly token?: string | undefined;
  /** The client secret, for `auth: "oauth2"`. */
  readonly clientSecret?: string | undefined;
  /** Environment variables, in place of those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** An event, as `rec-push --json` writes it. */
export type PushEvent = ToldEvent & {
  /** Of the form of the events: fields may be added to it, and nothing is ever changed or taken away. */
  readonly schema: number;
  /** The time of the event: ISO 8601, UTC. */
  readonly time: string;
};

/**
 * A push or a check. It begins when its events are read or its summary is asked for, once.
 *
 * Read to the end, both throw a `PushError` where a failure stopped the run, events after the summary. A run may also end
 * without one and have rows that were refused or are in doubt: `summary.exitCode` is 0 only where nothing is left to do.
 */
export interface Run extends AsyncIterable<PushEvent> {
  /** How it ended. After this is called the run does not wait for a reader of its events any more. */
  summary(): Promise<SummaryEvent>;
}

/** Why a push or a check stopped or did not start. `code` is of a closed set and stable; messages are for people. */
export class PushError extends Error {
  override readonly name: string = "PushError";
  readonly code: FailureCode;
  /** Failures of one kind end the command with one exit code. */
  readonly kind: FailureKind;
  /** An option with a value, in the words of the command line, or a command, that settles it. */
  readonly hint: string | undefined;
  readonly place: InputPlace | undefined;
  /** What became of the rows, and the next steps. */
  readonly summary: SummaryEvent;

  /** `more`: the reason of the caller's signal, and the place of the first invalid row. */
  constructor(
    failure: RecPushError,
    summary: SummaryEvent,
    more: Partial<Pick<RecPushError, "cause" | "place">>,
  ) {
    const { kind, code, message, hint, place = kind === "input" ? more.place : undefined } = failure;
    // Of a failed request the cause may show what was sent with it; of an input it is the error of the caller's stream.
    const cause = kind === "input" ? failure.cause : kind === "interrupted" ? more.cause : undefined;
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.code = code;
    this.hint = hint;
    this.place = place;
    this.summary = summary;
  }
}
