import { EXIT } from "../../model/exit-code.ts";
import type { Outcome } from "../../model/outcome.ts";
import { showCount, showInteger, showLines } from "../../model/quantities.ts";
import { OUTCOME_WORDS } from "../../model/outcome-words.ts";
import { markup, type Markup } from "./markup.ts";
import type { RunReport } from "./run-report.ts";
import { showTable } from "./show-table.ts";

/** What became of the rows: as a bar, in numbers, by answer of the service. */
export function showTotals(report: RunReport): Markup | undefined {
  const { read, counts, summary, command, settledBefore } = report;
  if (counts === undefined || summary === undefined || read === 0) return undefined;
  const isReady = command === "check" && summary.exitCode !== EXIT.input;
  const words = isReady ? { ...OUTCOME_WORDS, notSent: "ready to send" } : OUTCOME_WORDS;
  const outcomes = (Object.keys(OUTCOME_WORDS) as Outcome[]).filter((outcome) => counts[outcome] > 0);
  const toneOf = (outcome: Outcome): string => (isReady && outcome === "notSent" ? "accepted" : outcome);
  const items = outcomes.map(
    (outcome) =>
      markup`<li class="is-${toneOf(outcome)}"><b>${showInteger(counts[outcome])}</b>${words[outcome]}</li>`,
  );
  const before =
    settledBefore === 0
      ? undefined
      : markup`<p class="soft">${showCount(settledBefore, "row")} of them had been settled by an earlier process of the run.</p>\n`;
  const shares = outcomes.map((outcome) => ({ name: toneOf(outcome), rows: counts[outcome] }));
  return markup`<section><h2>What became of the rows</h2>\n${drawShares(shares)}<ul class="totals"><li><b>${showInteger(read)}</b>read</li>${items}</ul>\n${before}${showAnswers(report)}</section>\n`;
}

/** One bar, as wide as the page; the smallest share can be seen too. */
function drawShares(shares: readonly { readonly name: string; readonly rows: number }[]): Markup | undefined {
  if (shares.length === 0) return undefined;
  const parts = shares.map(
    ({ name, rows }) => markup`<span class="is-${name}" style="flex-grow:${rows}"></span>`,
  );
  return markup`<div class="shares" aria-hidden="true">${parts}</div>\n`;
}

function showAnswers({ answers, otherAnswers }: RunReport): Markup | undefined {
  if (answers.length === 0) return undefined;
  const rows = answers.map(({ kind, outcome, status, msg, batches, rows }) => [
    `${kind}s`,
    OUTCOME_WORDS[outcome],
    [status ?? "no answer:", " ", markup`<bdi>${msg}</bdi>`],
    showInteger(batches),
    showInteger(rows),
  ]);
  const more =
    otherAnswers === 0
      ? undefined
      : markup`<p>and ${showCount(otherAnswers, "more batch")} with other answers.</p>`;
  return markup`${showTable(["Kind", "Outcome", "Answer", "#Batches", "#Rows"], rows)}${more}`;
}

const FILE_WORDS = {
  rejects: "to be mended and pushed",
  inDoubt: "in doubt: delete those that are in the service",
} as const;

/** Where the rows are that were not accepted, and the files that hold them. */
export function showPlaces({ summary }: RunReport): Markup | undefined {
  if (summary === undefined) return undefined;
  const { whereabouts, rejectsFiles, doubtFiles, openRuns } = summary;
  const stretches = whereabouts.map(({ outcome, kind, file, firstLine, lastLine, rows }) => [
    OUTCOME_WORDS[outcome],
    showCount(rows, kind),
    markup`<bdi>${file}</bdi>`,
    showLines(firstLine, lastLine),
  ]);
  const files = [
    ...rejectsFiles.map(({ path, rows }) => [path, rows, FILE_WORDS.rejects] as const),
    ...doubtFiles.map(({ path, rows }) => [path, rows, FILE_WORDS.inDoubt] as const),
  ].map(
    ([path, rows, what]) =>
      markup`<li><bdi class="cell">${path}</bdi><br /><span class="soft">${showCount(rows, "row")} ${what}</span></li>`,
  );
  const open = openRuns.slice(0, 20).join(", ");
  if (stretches.length + files.length === 0 && open === "") return undefined;
  return markup`<section><h2>Rows that need someone</h2>${files.length === 0 ? undefined : markup`<ul>${files}</ul>`}${stretches.length === 0 ? undefined : showTable(["Outcome", "Rows", "File", "Lines"], stretches)}${
    open === "" ? undefined : markup`<p>Runs that are still open on this table: <code>${open}</code></p>`
  }</section>\n`;
}
