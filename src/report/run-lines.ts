import { describeCounts } from "../model/outcome-words.ts";
import { stepsOfRun } from "../model/run-steps.ts";
import type { RunSummary } from "../model/run-summary.ts";
import { showText } from "../model/visible-text.ts";
import { showCount, showInteger, showLines } from "../model/quantities.ts";

/** More stretches in doubt than this are shown only for a single run. */
const MAX_STRETCHES = 5;

/** A run for people: its input, its state, the next step. `isWhole` lists everything that is in doubt. */
export function describeRun(summary: RunSummary, isWhole: boolean): string[] {
  const { run, state, table, file, url, startedAt, read, counts, assumedApplied, doubts } = summary;
  const { exitCode, reason, running, takenOverBy } = summary;
  const isOpen = running === undefined && (state === "unfinished" || state === "unsettled");
  const closed = takenOverBy === undefined ? state : `taken over by ${takenOverBy}`;
  const shownState = running === undefined ? closed : `running, pid ${running.pid}`;
  const why =
    isOpen && reason !== "" ? [`${exitCode === undefined ? "" : `exit ${exitCode}: `}${reason}`] : [];
  const said = assumedApplied === 0 ? "" : ` (${showInteger(assumedApplied)} of them on your word)`;
  const shown = isWhole ? doubts : doubts.slice(0, MAX_STRETCHES);
  const more = doubts.length - shown.length;
  return [
    `${run}  ${shownState}  ${showText(file)} -> ${showText(table)} at ${showText(url)}, ${startedAt.slice(0, 16).replace("T", " ")} UTC`,
    `  ${showCount(read, "row")}: ${describeCounts(counts)}${said}`,
    ...why.map((text) => `  ${showText(text, 300)}`),
    ...shown.map(
      ({ kind, records, lines }) => `  in doubt: ${showCount(records, kind)}, ${showLines(...lines)}`,
    ),
    ...(more > 0 ? [`  and ${showInteger(more)} more: rec-push runs ${run}`] : []),
    ...stepsOfRun(summary).map((step) => `  Next: ${step}`),
  ];
}

/** A run as an object for programs; `name` completes the commands in its steps. */
export function runFields(summary: RunSummary, name: (step: string) => string): object {
  const { counts, doubts, doubtFile, ...rest } = summary;
  const inDoubtAt = doubts.map(({ batch, kind, records, lines: [first, last] }) => ({
    batch,
    kind,
    rows: records,
    first,
    last,
  }));
  const file = doubtFile && { doubtFile: doubtFile.path, doubtFileLeft: doubtFile.left };
  return { ...rest, ...file, ...counts, inDoubtAt, next: stepsOfRun(summary).map(name) };
}
