import type { Reporter } from "./reporter.ts";

/** Joins several reporters into one that passes each event to all of them, in this order. */
export function joinReporters(parts: readonly Reporter[]): Reporter {
  const paced = parts.find((part) => part.caughtUp !== undefined);
  return {
    ...(paced === undefined ? {} : { caughtUp: () => paced.caughtUp?.() }),
    emit: (event) => parts.forEach((part) => part.emit(event)),
    fail: (failure) => parts.forEach((part) => part.fail(failure)),
    close: () => parts.forEach((part) => part.close()),
  };
}
