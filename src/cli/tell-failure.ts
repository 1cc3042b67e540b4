import { exitCode, type RunEnd } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { given } from "../options/declaration.ts";
import { readValues } from "../options/read-values.ts";
import type { Reporter } from "../report/reporter.ts";
import { finishRun, openReporter } from "./reporting.ts";
import { type Io, namedState, namingState } from "./run-settings.ts";
import { notStarted } from "./sending.ts";

/**
 * Reports a failure before the start, in words or, with `--json`, also as `error` and `summary` events; returns the
 * exit code.
 */
export async function tellFailure(
  failure: RecPushError,
  options: OptionTexts,
  io: Io,
  startedMs: number,
): Promise<number> {
  const end = notStarted(failure);
  const about = { run: "", startedMs, signal: undefined };
  if (failure.code !== "report-place") await reportFailure(end, options, io, about);
  const reporter = await openFor(options, io, failure);
  const { json } = options;
  if (json === true) return finishRun(reporter, end, about);
  const code = exitCode({ ...end, signal: undefined });
  reporter.fail(failure);
  reporter.close(code);
  return code;
}

/** A report states its ending in every case, unless its own place is the failure. */
async function reportFailure(
  end: RunEnd,
  { report, stateDir }: OptionTexts,
  io: Io,
  about: Parameters<typeof finishRun>[2],
): Promise<void> {
  if (typeof report !== "string") return;
  try {
    const values = readValues(given({ report, stateDir }));
    const { openReport } = await import("./open-report.ts");
    const reporter = await openReport(report, values, io, false);
    finishRun(namingState(reporter, namedState(values, io)), end, about);
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
  }
}

/** One of the other options may be the failure, and so may the place of the log. */
async function openFor(options: OptionTexts, io: Io, failure: RecPushError): Promise<Reporter> {
  const { json, quiet, records, logFile, stateDir } = options;
  const output = {
    json,
    quiet,
    records,
    stateDir,
    progress: false,
  };
  const values = readValues(given(output));
  if (logFile === undefined || failure.code === "log-place") return openReporter(values, io, false);
  return openReporter({ ...values, logFile: String(logFile) }, io, false).catch(() =>
    openReporter(values, io, false),
  );
}
