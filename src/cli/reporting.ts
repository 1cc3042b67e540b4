import type { OptionValues } from "../options/table.ts";
import { openPaint } from "../report/paint.ts";
import { createPlainProgress } from "../report/plain-progress.ts";
import { type Progress, SILENT_PROGRESS } from "../report/progress.ts";
import { joinReporters } from "../report/join-reporters.ts";
import type { Reporter } from "../report/reporter.ts";
import { tellOn } from "../report/tell.ts";
import type { Io } from "./io.ts";

/** The reporter that the output options ask for. */
export async function openReporter(values: OptionValues, io: Io, isCheck: boolean): Promise<Reporter> {
  const { records, json = false, quiet = false, verbose = false } = values;
  // With `--records -` standard output belongs to the records.
  const results = records === "-" ? io.stderr : io.stdout;
  if (json) {
    const { createJsonReporter } = await import("../report/json-reporter.ts");
    const events = createJsonReporter(results);
    // Words between events on the same stream would be no JSON.
    return quiet || results === io.stderr ? events : withWords(events, io, isCheck);
  }
  const { createTextReporter } = await import("../report/text-reporter.ts");
  return createTextReporter({
    results,
    remarks: io.stderr,
    progress: await openProgress(values, io),
    paint: { results: await openPaint(results, io.env), remarks: await openPaint(io.stderr, io.env) },
    amount: quiet ? "quiet" : verbose ? "verbose" : "normal",
    isCheck,
  });
}

/** Events for programs, and beside them in words what people need. */
async function withWords(events: Reporter, io: Io, isCheck: boolean): Promise<Reporter> {
  const { createRemarksReporter } = await import("../report/remarks-reporter.ts");
  const { createEndingReporter } = await import("../report/ending-reporter.ts");
  const tell = tellOn(io.stderr, SILENT_PROGRESS);
  const remarks = createRemarksReporter({
    tell,
    paint: await openPaint(io.stderr, io.env),
    isQuiet: false,
    isBelowSurvey: false,
    allRejects: "each is an event on standard output",
  });
  return joinReporters([events, remarks, createEndingReporter(tell, isCheck)]);
}

async function openProgress({ quiet = false, progress = true }: OptionValues, io: Io): Promise<Progress> {
  if (quiet || !progress) return SILENT_PROGRESS;
  // A CI machine may offer a terminal, but what it keeps is a log.
  const isDrawable = io.stderr.isTTY === true && io.env["TERM"] !== "dumb" && io.env["CI"] === undefined;
  if (!isDrawable) return createPlainProgress(io.stderr);
  const { createTerminalProgress } = await import("../report/terminal-progress.ts");
  return createTerminalProgress(io.stderr);
}
