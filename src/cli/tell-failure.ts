import type { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { given } from "../options/declaration.ts";
import { readValues } from "../options/read-values.ts";
import type { Reporter } from "../report/reporter.ts";
import { finishRun, openReporter } from "./reporting.ts";
import type { Io } from "./run-settings.ts";
import { notStarted } from "./session.ts";

/** Reports a failure before the start wherever the options ask for it; returns the exit code. */
export async function tellFailure(
  failure: RecPushError,
  { json, quiet, records, stateDir, logFile, report }: OptionTexts,
  io: Io,
  startedMs: number,
): Promise<number> {
  const open = async (files: OptionTexts): Promise<Reporter> =>
    openReporter(readValues(given({ json, quiet, records, stateDir, progress: false, ...files })), io, false);
  // One of these places may itself be at fault.
  const reporter = await open({ logFile, report })
    .catch(() => open({ logFile }))
    .catch(() => open({}));
  return finishRun(reporter, notStarted(failure), { run: "", startedMs, signal: undefined });
}
