import { EXIT } from "../model/exit-code.ts";
import type { Summary } from "../model/event.ts";
import type { Settled } from "../model/outcome.ts";
import { showCount } from "../model/quantities.ts";
import { showText } from "../model/visible-text.ts";
import { describeBatch, describeStretch } from "./batch-line.ts";
import { type FileStretch, Fold } from "./fold.ts";
import type { Paint } from "./paint.ts";
import type { Progress } from "./progress.ts";
import type { Reporter } from "./reporter.ts";
import { describeOpenRuns, describeSummary } from "./summary-lines.ts";
import type { Tell } from "./tell.ts";

/** If a service refuses each record for a different reason, that must not push everything else off the screen. */
const MAX_TROUBLE_LINES = 100;

/** Where the results go, and in what form. */
export interface ResultsOptions {
  readonly tell: Tell;
  readonly paint: Paint;
  /** Shows lines that still grow; `undefined` if the results do not go to a terminal, or nothing can be drawn on it. */
  readonly grow: Progress["grow"];
  readonly amount: "quiet" | "normal" | "verbose";
  /** A check counts nothing as sent. */
  readonly isCheck: boolean;
}

/**
 * The results in words: a line per batch, or per group of batches with one outcome, then the summary with what to do
 * next.
 */
export function createResultsReporter(options: ResultsOptions): Reporter {
  const { tell, paint, grow, amount, isCheck } = options;
  const fold = new Fold();
  let fileCount = 1;
  let isTold = false;
  let troubleLines = 0;

  function tellBatch(file: string, settled: Settled): void {
    const isGood = settled.outcome === "accepted";
    if (amount === "quiet" && isGood) return;
    if (amount === "verbose") return tell([lineOf(file, isGood, describeBatch(settled))]);
    const { ended, isNew } = fold.add(file, settled);
    tellEnded(ended);
    if (grow !== undefined) return grow(fold.growing.map((each) => lineOfStretch(each)));
    // A log is read while it is written, so trouble is shown before its last batch.
    if (isNew && !isGood) tellTrouble(lineOf(file, isGood, describeBatch(settled)));
  }

  function tellEnded(stretches: readonly FileStretch[]): void {
    if (stretches.length === 0) return;
    grow?.([]);
    for (const stretch of stretches) {
      if (stretch.about.outcome === "accepted") tell([lineOfStretch(stretch)]);
      else if (grow !== undefined) tellTrouble(lineOfStretch(stretch));
      else if (stretch.batches > 1) tellTrouble(lineOfStretch(stretch, " in all"));
    }
  }

  function tellTrouble(line: string): void {
    troubleLines += 1;
    if (troubleLines <= MAX_TROUBLE_LINES) tell([line]);
  }

  function lineOfStretch(stretch: FileStretch, after = ""): string {
    return lineOf(stretch.file, stretch.about.outcome === "accepted", describeStretch(stretch) + after);
  }

  function lineOf(file: string, isGood: boolean, text: string): string {
    const line = `${fileCount > 1 ? `${showText(file)}: ` : ""}${text}`;
    return isGood ? line : paint.red(line);
  }

  function tellRest(): void {
    tellEnded(fold.end());
    const left = troubleLines - MAX_TROUBLE_LINES;
    if (left > 0) tell([`... and ${showCount(left, "line")} more like these; --verbose shows every batch`]);
    troubleLines = 0;
  }

  function tellSummary(summary: Summary): void {
    tellRest();
    const isGood = summary.exitCode === EXIT.ok;
    if (amount === "quiet" && isGood) {
      // What the user has to do is printed under --quiet too.
      const steps = isCheck ? [] : summary.next.map((step) => `Next: ${step}`);
      return tell([...describeOpenRuns(summary), ...steps]);
    }
    const [first = "", ...rest] = describeSummary(summary, { isCheck, isTold });
    tell([isGood ? paint.green(first) : paint.bold(first), ...rest]);
  }

  return {
    emit(event) {
      if (event.kind === "run") fileCount = event.files.length;
      if (event.kind === "settled") tellBatch(event.file, event.settled);
      if (event.kind === "summary") tellSummary(event.summary);
    },
    fail: () => {
      isTold = true;
      tellRest();
    },
    close: tellRest,
  };
}
