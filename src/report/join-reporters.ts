import type { Reporter } from "./reporter.ts";

/** Several parts of an output, told one after the other in this order. */
export function joinReporters(parts: readonly Reporter[]): Reporter {
  return {
    emit: (event) => parts.forEach((part) => part.emit(event)),
    fail: (failure) => parts.forEach((part) => part.fail(failure)),
    close: () => parts.forEach((part) => part.close()),
  };
}
