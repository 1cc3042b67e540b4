import type { ToldEvent, SummaryEvent } from "../model/told-event.ts";

/** An event, as `rec-push --json` writes it. */
export type PushEvent = ToldEvent & {
  /** Of the form of the events: fields may be added to it, and nothing is ever changed or taken away. */
  readonly schema: number;
  /** When it was told: ISO 8601, UTC. */
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
