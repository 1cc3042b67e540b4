import { RecPushError } from "../model/failure.ts";

/** Does what is left to do after an ending: what it fails with counts only where nothing failed before. */
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
