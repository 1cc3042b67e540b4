import { RecPushError } from "./failure.ts";

/** The error that ends a run on a signal. Its exit code is the signal's own. */
export function interruption(): RecPushError {
  return new RecPushError("interrupted", "interrupted", "interrupted by a signal");
}

/** Throws {@link interruption} once the signal is set. */
export function throwIfInterrupted(drain: AbortSignal): void {
  if (drain.aborted) throw interruption();
}

/** Gives the thread away for a moment, in which a signal is heard. To be awaited between the steps of long work. */
export function pause(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** The same, and throws {@link interruption} once the signal is set. */
export async function hearSignals(drain: AbortSignal): Promise<void> {
  await pause();
  throwIfInterrupted(drain);
}
