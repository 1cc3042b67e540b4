import { EXIT } from "../model/exit-code.ts";
import type { Summary } from "../model/event.ts";
import type { Settled } from "../model/outcome.ts";
import { showText } from "../model/visible-text.ts";
import { describeBatch } from "./batch-line.ts";
import type { Paint } from "./paint.ts";
import type { Reporter } from "./reporter.ts";
import { describeSummary } from "./summary-lines.ts";
import type { Tell } from "./tell.ts";

/** Output and form of the results. */
export interface ResultsOptions {
  readonly tell: Tell;
  readonly paint: Paint;
  /** Nothing of what went well. */
  readonly isQuiet: boolean;
  /** A check counts nothing as sent. */
  readonly isCheck: boolean;
}

/** The results in words: a line a batch, then the summary with what to do next. */
export function createResultsReporter({ tell, paint, isQuiet, isCheck }: ResultsOptions): Reporter {
  let fileCount = 1;
  let isTold = false;

  function tellBatch(file: string, settled: Settled): void {
    const isGood = settled.outcome === "accepted";
    if (isQuiet && isGood) return;
    const line = `${fileCount > 1 ? `${showText(file)}: ` : ""}${describeBatch(settled)}`;
    tell([isGood ? line : paint.red(line)]);
  }

  function tellSummary(summary: Summary): void {
    const isGood = summary.exitCode === EXIT.ok;
    if (isQuiet && isGood) return;
    const [first = "", ...rest] = describeSummary(summary, { isCheck, isTold });
    tell([isGood ? paint.green(first) : paint.bold(first), ...rest]);
  }

  return {
    emit(event) {
      if (event.kind === "run") fileCount = event.files.length;
      if (event.kind === "settled") tellBatch(event.file, event.settled);
      if (event.kind === "summary") tellSummary(event.summary);
    },
    fail: () => void (isTold = true),
    close: () => undefined,
  };
}
