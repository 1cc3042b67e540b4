import type { RecPushError } from "../model/failure.ts";
import type { RunEvent } from "../model/event.ts";

/** Turns the events of a run into words or JSON. One for each kind of output; nothing else writes while a run goes on. */
export interface Reporter {
  readonly emit: (event: RunEvent) => void;
  /** The reason why the run stopped, printed before the summary. */
  readonly fail: (failure: RecPushError) => void;
  /** Resolves once what was told is taken, where somebody takes it at their own pace; `undefined` if nobody is behind. */
  readonly caughtUp?: () => Promise<void> | undefined;
  /** Takes away what only lives while the run does: the progress line. */
  readonly close: () => void;
}
