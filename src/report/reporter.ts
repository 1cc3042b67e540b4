import type { RunEvent } from "../model/event.ts";
import type { RecPushError } from "../model/failure.ts";

/** Turns the events of a run into words or JSON, one for each kind of output; nothing else writes during a run. */
export interface Reporter {
  readonly emit: (event: RunEvent) => void;
  /** Prints the reason why the run stopped, before the summary. */
  readonly fail: (failure: RecPushError) => void;
  /** Resolves once the reader has taken the events, where a reader sets the pace; `undefined` if it is not behind. */
  readonly caughtUp?: () => Promise<void> | undefined;
  /** Removes what is only shown during the run: the progress line. `exitCode` is that of the command, where it ends. */
  readonly close: (exitCode?: number) => void;
}

/** What is done at an event of each kind; nothing at a kind that is not named. */
type Listeners = {
  readonly [Name in RunEvent["event"]]?: (event: Extract<RunEvent, { event: Name }>) => void;
};

/** Makes a reporter that listens to some kinds of events. */
export function listenTo(
  listeners: Listeners,
  { fail = nothing, close = nothing }: Partial<Pick<Reporter, "fail" | "close">> = {},
): Reporter {
  const emit = (event: RunEvent): void =>
    (listeners[event.event] as ((event: RunEvent) => void) | undefined)?.(event);
  return { emit, fail, close };
}

function nothing(): void {}

/** Joins several reporters into one that passes each event to all of them, in this order. */
export function joinReporters(parts: readonly Reporter[]): Reporter {
  const paced = parts.find((part) => part.caughtUp !== undefined);
  return {
    ...(paced === undefined ? {} : { caughtUp: () => paced.caughtUp?.() }),
    emit: (event) => parts.forEach((part) => part.emit(event)),
    fail: (failure) => parts.forEach((part) => part.fail(failure)),
    close: (exitCode) => parts.forEach((part) => part.close(exitCode)),
  };
}
