import { EXIT } from "../../model/exit-code.ts";
import { showCount, showDuration, showInteger, showLines } from "../../model/quantities.ts";
import type { Outcome } from "../../model/outcome.ts";
import { OUTCOME_WORDS } from "../batch-line.ts";
import { markup, type Markup } from "./markup.ts";
import type { ReportedError, RunReport } from "./run-report.ts";
import { showTable } from "./show-table.ts";

/** How the command ended, why, what became of the rows, and what to do next. */
export function showEnding(report: RunReport): Markup {
  return markup`${showState(report)}${report.errors.map(showError)}${
    report.otherErrors === 0 ? undefined : markup`<p>and ${showCount(report.otherErrors, "more error")}.</p>`
  }${showNext(report)}${showTotals(report)}${showPlaces(report)}`;
}

function showState({ state, summary, errors, writtenAt }: RunReport): Markup {
  if (state === "running")
    return markup`<p class="state warn">This command had not ended at ${writtenAt}. If it is no longer running, it was ended from outside: <code>rec-push runs</code> says what is left to do.</p>\n`;
  if (summary === undefined) return markup`<p class="state bad">The command did not begin.</p>\n`;
  const { exitCode, reason, safeToRerun, ms } = summary;
  const isGood = exitCode === EXIT.ok;
  const why = reason === "" || errors.length > 0 ? "" : ` ${reason}`;
  const again = safeToRerun ? "yes" : "no, mend first";
  return markup`<p class="state ${isGood ? "good" : "bad"}">${isGood ? "Done" : `Exit ${exitCode}`}, after ${showDuration(ms)}.${why}</p>${isGood ? undefined : markup`<p>Safe to run the same command again: ${again}.</p>\n`}`;
}

function showError({ message, hint }: ReportedError): Markup {
  const help =
    hint === undefined ? undefined : markup`<div class="soft">What settles it:</div>${showLinesOf(hint)}`;
  return markup`<div class="box">${showLinesOf(message)}${help}</div>\n`;
}

function showLinesOf(text: string): readonly Markup[] {
  return text.split("\n").map((line) => markup`<div>${line}</div>`);
}

/** Up to exit 3 the next step is the hint of an error, which is already shown. */
function showNext({ summary, errors }: RunReport): Markup | undefined {
  if (summary === undefined || summary.next.length === 0) return undefined;
  if (errors.length > 0 && summary.exitCode <= EXIT.input) return undefined;
  return markup`<section><h2>What to do next</h2><ol>${summary.next.map((step) => markup`<li>${showLinesOf(step)}</li>`)}</ol></section>\n`;
}

function showTotals({ read, counts, summary, command, settledBefore, answers, otherAnswers }: RunReport) {
  if (counts === undefined || summary === undefined) return undefined;
  const isReady = command === "check" && summary.exitCode !== EXIT.input;
  const words = isReady ? { ...OUTCOME_WORDS, notSent: "ready to send" } : OUTCOME_WORDS;
  const outcomes = (Object.keys(OUTCOME_WORDS) as Outcome[]).filter((outcome) => counts[outcome] > 0);
  const items = outcomes.map(
    (outcome) => markup`<li><b>${showInteger(counts[outcome])}</b>${words[outcome]}</li>`,
  );
  const before =
    settledBefore === 0
      ? undefined
      : markup`<p class="soft">${showCount(settledBefore, "row")} of them had been settled by an earlier process of the run.</p>\n`;
  const rows = answers.map(({ kind, outcome, status, msg, batches, rows }) => [
    `${kind}s`,
    OUTCOME_WORDS[outcome],
    [status ?? "no answer", " ", markup`<bdi>${msg}</bdi>`],
    showInteger(batches),
    showInteger(rows),
  ]);
  const more =
    otherAnswers === 0
      ? undefined
      : markup`<p>and ${showCount(otherAnswers, "more batch")} with other answers.</p>`;
  const table =
    rows.length === 0 ? undefined : showTable(["Kind", "Outcome", "Answer", "#Batches", "#Rows"], rows);
  return markup`<section><h2>What became of the rows</h2>\n<ul class="totals"><li><b>${showInteger(read)}</b>read</li>${items}</ul>\n${before}${table}${more}</section>\n`;
}

function showPlaces({ summary }: RunReport): Markup | undefined {
  if (summary === undefined) return undefined;
  const { whereabouts, rejectsFiles, doubtFiles, openRuns } = summary;
  const stretches = whereabouts.map(({ outcome, kind, file, firstLine, lastLine, rows }) => [
    OUTCOME_WORDS[outcome],
    showCount(rows, kind),
    markup`<bdi>${file}</bdi>`,
    showLines(firstLine, lastLine),
  ]);
  const files = [
    ...rejectsFiles.map(({ path, rows, kind }) => [path, rows, kind] as const),
    ...doubtFiles.map(({ path, rows }) => [path, rows, "in doubt"] as const),
  ].map(([path, rows, kind]) => markup`<li><bdi>${path}</bdi>: ${showCount(rows, "row")}, ${kind}</li>`);
  const open = openRuns.slice(0, 20).join(", ");
  if (stretches.length + files.length === 0 && open === "") return undefined;
  return markup`<section><h2>Rows that need someone</h2>${stretches.length === 0 ? undefined : showTable(["Outcome", "Rows", "File", "Lines"], stretches)}${
    files.length === 0 ? undefined : markup`<p>Files of such rows:</p><ul>${files}</ul>`
  }${open === "" ? undefined : markup`<p>Runs that are still open on this table: <code>${open}</code></p>`}</section>\n`;
}
