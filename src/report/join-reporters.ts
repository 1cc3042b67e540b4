import type { Reporter } from "./reporter.ts";

/** Joins several reporters into one that passes each event to all of them, in this order. */
export function joinReporters(parts: readonly Reporter[]): Reporter {
  return {
    emit: (event) => parts.forEach((part) => part.emit(event)),
    fail: (failure) => parts.forEach((part) => part.fail(failure)),
    close: () => parts.forEach((part) => part.close()),
  };
}
