import type { RecPushError } from "../model/failure.ts";
import type { RunEvent } from "../model/event.ts";

/** Turns the events of a run into words or JSON, one for each kind of output; nothing else writes during a run. */
export interface Reporter {
  readonly emit: (event: RunEvent) => void;
  /** Prints the reason why the run stopped, before the summary. */
  readonly fail: (failure: RecPushError) => void;
  /** Resolves once what was told is taken, where somebody takes it at their own pace; `undefined` if nobody is behind. */
  readonly caughtUp?: () => Promise<void> | undefined;
  /** Removes what is only shown during the run: the progress line. */
  readonly close: () => void;
}
