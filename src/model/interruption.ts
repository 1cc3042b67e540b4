import { RecPushError } from "./failure.ts";

/** The error that ends a run on a signal. Its exit code is the signal's own. */
export function interruption(): RecPushError {
  return new RecPushError("interrupted", "interrupted", "interrupted by a signal");
}

/** Throws {@link interruption} once the signal is set. */
export function throwIfInterrupted(drain: AbortSignal): void {
  if (drain.aborted) throw interruption();
}
