import type { RecPushError } from "../model/failure.ts";
import type { RunEvent } from "../model/event.ts";

/** Turns what a run tells into words or JSON. One behind each kind of output; nothing else writes while a run goes on. */
export interface Reporter {
  readonly emit: (event: RunEvent) => void;
  /** What stopped the run, told before the summary. */
  readonly fail: (failure: RecPushError) => void;
  /** Takes away what only lives while the run does: the progress line. */
  readonly close: () => void;
}
