import { RecPushError } from "../model/failure.ts";
import { exitCode } from "./exit-code.ts";
import { finishRun } from "./finish.ts";
import type { Io } from "./io.ts";
import { notStarted } from "./not-started.ts";
import type { RawOptions } from "./program.ts";
import { isSet } from "./raw-options.ts";
import { openReporter } from "./reporting.ts";

/** Tells what kept a command from starting, with `--json` as an `error` and a `summary` event too; gives the exit code. */
export async function tellFailure(
  failure: RecPushError,
  options: RawOptions,
  io: Io,
  startedMs: number,
): Promise<number> {
  const end = notStarted(failure);
  const reporter = await openReporter({ ...options, progress: false }, io, false);
  if (isSet(options, "json")) return finishRun(reporter, end, { run: "", startedMs, signal: undefined });
  reporter.fail(failure);
  reporter.close();
  return exitCode({ ...end, signal: undefined });
}

/** The same failure with other texts. */
export function reword(failure: RecPushError, change: (text: string) => string): RecPushError {
  const { kind, code, message, hint, place, cause } = failure;
  return new RecPushError(kind, code, change(message), {
    ...(hint === undefined ? {} : { hint: change(hint) }),
    ...(place === undefined ? {} : { place }),
    cause,
  });
}
