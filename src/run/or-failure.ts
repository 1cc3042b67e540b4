import { RecPushError } from "../model/failure.ts";

/** Does the work that is left after a run has ended; its error is reported only if nothing failed before. */
export async function orFailure(
  act: () => Promise<void>,
  before?: RecPushError,
): Promise<RecPushError | undefined> {
  try {
    await act();
    return before;
  } catch (error) {
    if (error instanceof RecPushError) return before ?? error;
    throw error;
  }
}
