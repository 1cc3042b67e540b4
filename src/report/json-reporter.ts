import type { ToldEvent } from "../model/told-event.ts";
import type { Reporter } from "./reporter.ts";
import { formatEvent } from "./json-event.ts";
import { tellFailure, tellProgram } from "./tell-program.ts";

/**
 * NDJSON events on `stdout`, one object per line, tagged `event`. Errors come as `error` events.
 */
export function createJsonReporter(stdout: { write(line: string): unknown }, now: () => Date): Reporter {
  const write = ({ event, ...fields }: ToldEvent): void =>
    void stdout.write(formatEvent(event, fields, now()));
  return {
    emit(event) {
      const told = tellProgram(event);
      if (told !== undefined) write(told);
    },
    fail: (failure) => write(tellFailure(failure)),
    close: () => undefined,
  };
}
