import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { readValues } from "../options/read-values.ts";
import { exitCode } from "../model/exit-code.ts";
import { finishRun } from "./finish.ts";
import type { Io } from "./io.ts";
import { notStarted } from "./not-started.ts";
import { openReporter } from "./reporting.ts";

/** Reports a failure before the start, in words or with `--json` also as `error` and `summary` events; gives the exit code. */
export async function tellFailure(
  failure: RecPushError,
  options: OptionTexts,
  io: Io,
  startedMs: number,
): Promise<number> {
  const end = notStarted(failure);
  // One of the other options may be the failure.
  const { json, quiet, records } = options;
  const reporter = await openReporter(readValues({ json, quiet, records, progress: false }), io, false);
  if (json === true) return finishRun(reporter, end, { run: "", startedMs, signal: undefined });
  reporter.fail(failure);
  reporter.close();
  return exitCode({ ...end, signal: undefined });
}

/** The same failure with other texts. */
export function reword(failure: RecPushError, change: (text: string) => string): RecPushError {
  const { kind, code, message, hint, place, cause, options, choices, problems } = failure;
  return new RecPushError(kind, code, change(message), {
    ...(hint === undefined ? {} : { hint: change(hint) }),
    ...(place === undefined ? {} : { place }),
    cause,
    options: options.map(change),
    parts: failure.parts.map((part) => reword(part, change)),
    choices,
    problems,
  });
}
