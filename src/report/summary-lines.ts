import { nameState } from "../model/name-state.ts";
import { EXIT } from "../model/exit-code.ts";
import type { Summary } from "../model/event.ts";
import type { Outcome } from "../model/outcome.ts";
import { OUTCOME_WORDS } from "../model/outcome-words.ts";
import { showCount, showDuration, showInteger, showLines } from "../model/quantities.ts";
import { showText } from "../model/visible-text.ts";

const ORDER: readonly Outcome[] = [
  "accepted",
  "refused",
  "failed",
  "inDoubt",
  "rejected",
  "notSent",
  "skipped",
];
/** More stretches than fit on a screen are left to the batch lines above. */
const MAX_STRETCHES = 10;

/** How a summary is shown. */
export interface SummaryView {
  /** A check counts what it did not send as ready. */
  readonly isCheck: boolean;
  /** True if the reason why the run stopped was already printed. */
  readonly isTold: boolean;
}

/**
 * The closing lines: the rows read and what became of each, where those are that need attention, and what to do next.
 */
export function describeSummary(summary: Summary, { isCheck, isTold }: SummaryView): string[] {
  const { read, counts, batches, ms, reason, next } = summary;
  const words =
    isCheck && summary.exitCode !== EXIT.input
      ? { ...OUTCOME_WORDS, notSent: "ready to send" }
      : OUTCOME_WORDS;
  const parts = ORDER.filter((outcome) => counts[outcome] > 0).map(
    (outcome) => `${showInteger(counts[outcome])} ${words[outcome]}`,
  );
  const became = parts.length === 0 ? "" : `: ${parts.join(", ")}`;
  if (read === 0 && isTold) return ["nothing was sent"];
  const lines = [
    `${showCount(read, "row")} read${became} (${isCheck ? "a check: nothing is sent" : `${showCount(batches, "batch")}, ${showDuration(ms)}`})`,
  ];
  lines.push(...describeWhereabouts(summary));
  if (reason !== "" && !isTold) lines.push(showText(reason, 600));
  // Up to exit 3 the next step is the hint of an error that was already printed.
  if (!isTold || summary.exitCode > EXIT.input) lines.push(...next.map((step) => `Next: ${step}`));
  return [...lines, ...describeOpenRuns(summary)];
}

/** The older runs on the table that are still open, if there are any. */
export function describeOpenRuns({ openRuns, stateDir }: Summary): string[] {
  if (openRuns.length === 0) return [];
  const named = `${openRuns.slice(0, 5).join(", ")}${openRuns.length > 5 ? " ..." : ""}`;
  const how = `${nameState("rec-push runs", stateDir)} says more, ${nameState("rec-push resume", stateDir)} RUN finishes one`;
  return [`Still open on this table: ${named} (${how})`];
}

function describeWhereabouts({ whereabouts, runs, stateDir }: Summary): string[] {
  const lines = whereabouts
    .slice(0, MAX_STRETCHES)
    .map(
      ({ outcome, kind, file, firstLine, lastLine, rows }) =>
        `  ${OUTCOME_WORDS[outcome]}: ${showCount(rows, kind)} in ${showText(file)}, ${showLines(firstLine, lastLine)}`,
    );
  if (whereabouts.length <= MAX_STRETCHES) return lines;
  const report =
    runs.length === 0
      ? "the batch lines above"
      : `report.json of the run, which ${nameState("rec-push runs", stateDir)} ${runs.at(-1)} names`;
  return [...lines, `  and more, in ${report}`];
}
