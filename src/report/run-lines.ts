import { EXIT } from "../model/exit-code.ts";
import type { Outcome } from "../model/outcome.ts";
import type { RunSummary } from "../model/run-summary.ts";
import { showText } from "../model/visible-text.ts";
import { someAreThere } from "./doubt-steps.ts";
import { OUTCOME_WORDS } from "./batch-line.ts";
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
  const became = (Object.keys(OUTCOME_WORDS) as Outcome[])
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${showInteger(counts[outcome])} ${OUTCOME_WORDS[outcome]}`)
    .join(", ");
  const said = assumedApplied === 0 ? "" : ` (${showInteger(assumedApplied)} of them on your word)`;
  const shown = isWhole ? doubts : doubts.slice(0, MAX_STRETCHES);
  const more = doubts.length - shown.length;
  return [
    `${run}  ${shownState}  ${showText(file)} -> ${showText(table)} at ${showText(url)}, ${startedAt.slice(0, 16).replace("T", " ")} UTC`,
    `  ${showCount(read, "row")}: ${became}${said}`,
    ...why.map((text) => `  ${showText(text, 300)}`),
    ...shown.map(
      ({ kind, records, lines }) => `  in doubt: ${showCount(records, kind)}, ${showLines(...lines)}`,
    ),
    ...(more > 0 ? [`  and ${showInteger(more)} more: rec-push runs ${run}`] : []),
    ...nextSteps(summary).map((step) => `  Next: ${step}`),
  ];
}

/** A run as an object for programs. */
export function runFields(summary: RunSummary): object {
  const { counts, doubts, ...rest } = summary;
  const inDoubtAt = doubts.map(({ batch, kind, records, lines: [first, last] }) => ({
    batch,
    kind,
    rows: records,
    first,
    last,
  }));
  return { ...rest, ...counts, inDoubtAt, next: nextSteps(summary) };
}

function nextSteps({ run, state, counts, exitCode, running, doubtFile, takenOverBy }: RunSummary): string[] {
  if (running !== undefined) return ["wait until it has ended"];
  const doubt =
    counts.inDoubt === 0
      ? []
      : [
          `check in the service whether the records in doubt are there; if they are there: rec-push resume ${run} --in-doubt applied`,
          `if they are not: rec-push resume ${run} --in-doubt resend`,
          ...(counts.inDoubt === 1 ? [] : [someAreThere(run, doubtFile)]),
        ];
  switch (state) {
    case "unfinished":
      return [
        `rec-push resume ${run} sends the rest`,
        ...doubt,
        ...(exitCode === EXIT.request ? [giveUp(run)] : []),
      ];
    case "unsettled":
      return doubt;
    case "finished":
      return [];
    case "abandoned":
      // Only the ledger still knows of it.
      return counts.inDoubt === 0 || takenOverBy === undefined
        ? []
        : [
            `check in the service whether the records in doubt are there; if they are there: rec-push resume ${run} --in-doubt applied`,
            `if they are not: rec-push resume ${run} --in-doubt absent, then push the file again, which creates them`,
          ];
  }
}

/** The service refused the request itself: perhaps the URL or the table was wrong. */
function giveUp(run: string): string {
  return `if the URL or the table was wrong: rec-push runs --abandon ${run}`;
}
