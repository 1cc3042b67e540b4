import { createContextReporter } from "./context-reporter.ts";
import { joinReporters } from "./join-reporters.ts";
import type { OutputStream } from "./output-stream.ts";
import type { Paint } from "./paint.ts";
import type { Progress } from "./progress.ts";
import { createRemarksReporter } from "./remarks-reporter.ts";
import { createReminder } from "./reminder.ts";
import type { Reporter } from "./reporter.ts";
import { createResultsReporter } from "./results-reporter.ts";
import { tellOn } from "./tell.ts";

/** Where a text reporter writes, and how much. */
export interface TextReporterOptions {
  /** For results: a line per batch, the columns of a check, the summary. */
  readonly results: OutputStream;
  /** For notices and errors. */
  readonly remarks: OutputStream;
  readonly progress: Progress;
  readonly paint: { readonly results: Paint; readonly remarks: Paint };
  readonly amount: "quiet" | "normal" | "verbose";
  /** A check shows every column and counts nothing as sent. */
  readonly isCheck: boolean;
}

/** Output in words: results on one stream, remarks on the other. */
export function createTextReporter(options: TextReporterOptions): Reporter {
  const { progress, paint, amount, isCheck } = options;
  const isQuiet = amount === "quiet";
  const reminder = createReminder(options.remarks);
  const tellResults = reminder.counted(tellOn(options.results, progress));
  const tellRemarks = reminder.counted(tellOn(options.remarks, progress));
  const shown = { emit: progress.update, fail: () => undefined, close: progress.stop };
  const context = createContextReporter({
    tell: tellRemarks,
    tellSurvey: isCheck ? tellResults : tellRemarks,
    isVerbose: amount === "verbose",
    isCheck,
  });
  const remarks = createRemarksReporter({
    tell: tellRemarks,
    paint: paint.remarks,
    isQuiet,
    isBelowSurvey: true,
    allRejects: "--json tells each",
    columns: () => (options.remarks.isTTY === true ? options.remarks.columns : undefined),
    remember: reminder.remember,
  });
  const results = createResultsReporter({
    tell: tellResults,
    paint: paint.results,
    grow: options.results.isTTY === true ? progress.grow : undefined,
    amount,
    isCheck,
  });
  const again: Reporter = {
    emit: (event) => {
      if (event.kind === "summary") tellRemarks(reminder.scrolledAway());
    },
    fail: () => undefined,
    close: () => undefined,
  };
  const all = joinReporters([...(isQuiet ? [] : [context]), remarks, again, results, shown]);
  // The batches came before the failure that ended the run.
  return { ...all, fail: joinReporters([results, remarks]).fail };
}
