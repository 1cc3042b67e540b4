import { joinFailures } from "../../model/join-failures.ts";
import { RecPushError } from "../../model/failure.ts";

/** Runs every step, so that all questions are asked at once; throws them as one failure. */
export function attemptAll(...steps: readonly (() => void)[]): void {
  const failures: RecPushError[] = [];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      if (!(error instanceof RecPushError)) throw error;
      failures.push(error);
    }
  }
  const failure = joinFailures(failures);
  if (failure !== undefined) throw failure;
}
