import { cellName } from "../../model/cell-name.ts";
import {
  type Outcome,
  OUTCOME_WORDS,
  showCount,
  showCountIs,
  showDuration,
  showInteger,
  showShare,
} from "../../model/counts.ts";
import { EXIT, SIGNAL_EXIT } from "../../model/exit-code.ts";
import type { ProblemGroup } from "../../model/rows.ts";
import { showText } from "../../model/text.ts";
import { describeProblems } from "../problem-line.ts";
import type { Reporter } from "../reporter.ts";
import { describeColumn, describeRows, describeWhereabouts } from "../summary-lines.ts";
import { type ReportedCommand, ReportGatherer, type RunReport } from "./gather-report.ts";

/** The appearance of the page: light or dark as the reader has set it, light on paper. It refers to no other file. */
const STYLE = `
:root { color-scheme: light dark; --back: #f6f8fa; --sheet: #fff; --front: #1a1d21; --soft: #57606a; --rule: #d8dee4;
  --raised: #f3f5f7; --good: #1a7f37; --bad: #b42318; --warn: #7d4e00; --chart: #0b5cad; --none: #8c959f; }
@media (prefers-color-scheme: dark) { :root { --back: #0f1214; --sheet: #171b1f; --front: #e6e8ea; --soft: #9aa4ae;
  --rule: #30363c; --raised: #21262b; --good: #56d364; --bad: #ff8a80; --warn: #e3b341; --chart: #6cb6ff;
  --none: #768390; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 68rem; background: var(--back); color: var(--front);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 0 0 .75rem; }
p, ol, ul, dl, pre { margin: .35rem 0; }
header > p { margin: 0; }
h1, p, li, dd, .box, .hint, .lines { overflow-wrap: anywhere; }
code, pre, .lines, .hint { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; }
code { overflow-wrap: anywhere; }
pre { padding: .55rem .75rem; border: 1px solid var(--rule); border-radius: 6px; background: var(--raised);
  white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
pre code { font-size: 1em; }
.soft { color: var(--soft); }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 2rem; }
.facts div { min-width: 0; }
dt { color: var(--soft); font-size: .85em; } dd { margin: 0; }
.state { --tone: var(--bad); margin: 1.25rem 0; padding: .9rem 1.1rem; border: 1px solid var(--rule);
  border-left: 6px solid var(--tone); border-radius: 8px; background: var(--sheet); }
.state.good { --tone: var(--good); } .state.warn { --tone: var(--warn); }
.headline { margin: 0; color: var(--tone); font-size: 1.3rem; line-height: 1.3; font-weight: 650; }
section { margin: 1.25rem 0; padding: 1.1rem 1.25rem; border: 1px solid var(--rule); border-radius: 8px;
  background: var(--sheet); }
.next li + li { margin-top: .75rem; } ol, ul { padding-left: 1.4rem; }
.box { margin: .75rem 0; padding: .7rem 1rem; border: 1px solid var(--rule); border-left: 4px solid var(--bad);
  border-radius: 8px; background: var(--sheet); white-space: pre-wrap; }
.note { padding-left: .7rem; border-left: 3px solid var(--warn); }
.is-accepted { --tone: var(--good); } .is-refused, .is-rejected, .is-failed { --tone: var(--bad); }
.is-inDoubt { --tone: var(--warn); } .is-notSent, .is-skipped { --tone: var(--none); }
.totals { display: flex; flex-wrap: wrap; gap: .4rem 2rem; padding: 0; list-style: none; }
.totals b { display: block; color: var(--tone, inherit); font-size: 1.6rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.chart { display: block; width: 100%; height: 8rem; border-bottom: 1px solid var(--rule); } .chart path { fill: var(--chart); }
.lines > div + div { margin-top: .35rem; } .lines, .hint { white-space: pre-wrap; }
.axis { display: flex; justify-content: space-between; margin: .1rem 0 .5rem; font-size: .85em; }
footer { margin-top: 2rem; color: var(--soft); font-size: .87em; }
@media screen and (max-width: 44rem) {
  body { padding: 1rem .75rem 2rem; } section { padding: .9rem .9rem; } .totals { gap: .4rem 1.25rem; } }
@media print { :root { color-scheme: light; --back: #fff; --sheet: #fff; --front: #000; --soft: #444; --rule: #bbb;
  --raised: #fff; --good: #1a7f37; --bad: #b42318; --warn: #7d4e00; --chart: #0b5cad; --none: #666; }
  body { max-width: none; padding: 0; font-size: 10.5pt; } section { padding: 0; border: 0; } .state { print-color-adjust: exact; }
  h2 { break-after: avoid; } .box, .state, pre, svg, .totals li { break-inside: avoid; } }
`;

/** The forms of a report, by the extension of its file name. */
type ReportFormat = "html" | "json";

const PAGE_BEGINS = "<!doctype html>\n<!-- rec-push report, schema ";
const JSON_BEGINS = '{\n  "report": "rec-push",\n  "schema": ';

/** Only this many bytes of a file are looked at. */
export const REPORT_HEAD_BYTES = 64;

/** True for the first bytes of a file that holds a report, of this version or another. */
export function beginsReport(head: Buffer): boolean {
  const text = head.toString("utf8");
  return text.startsWith(PAGE_BEGINS) || text.startsWith(JSON_BEGINS);
}

/** Where a report goes. */
interface ReportPlace {
  readonly format: ReportFormat;
  /** Puts a text there, whole or not at all. */
  readonly replace: (text: string) => void;
  /** Called at most once, if the report cannot be written at the end, which never stops a push. */
  readonly onLost: (error: unknown) => void;
}

/**
 * Writes a report of a command: first one that says that the command has not ended, and one at every end. Throws what
 * `replace` throws at the beginning, when nothing is sent yet.
 */
export function createReportFile(
  { format, replace, onLost }: ReportPlace,
  command: ReportedCommand,
): Reporter {
  const gatherer = new ReportGatherer(command);
  let isWritten = true;
  let isLost = false;
  replace(writeReport(gatherer.report(), format));
  return {
    emit(event) {
      isWritten = false;
      gatherer.add(event);
    },
    fail(failure) {
      isWritten = false;
      gatherer.fail(failure);
    },
    close() {
      if (isWritten || isLost) return;
      isWritten = true;
      try {
        replace(writeReport(gatherer.report(), format));
      } catch (error) {
        isLost = true;
        onLost(error);
      }
    },
  };
}

/** A report as the text of its file. */
export function writeReport(report: RunReport, format: ReportFormat): string {
  return format === "json" ? `${JSON.stringify(report, undefined, 2)}\n` : writePage(report);
}

/** One self-contained page: no script, no other file, no network. */
function writePage(report: RunReport): string {
  const { table, command, version, startedAt, writtenAt } = report;
  const name = `${command === "check" ? "Check" : "Push"}${table === "" ? "" : ` to ${table}`}`;
  const title = `rec-push: ${name}, ${showMinute(startedAt)}`;
  const sections = [
    showEnding(report),
    showTotals(report),
    showSection("Notices", report.notices, more(report.otherNotices, "notice")),
    showSection("Rows that need someone", linesOfPlaces(report)),
    showSection(
      "Rows rejected or refused, by reason",
      report.rejects.map(({ file, ...group }) => describeProblems(file, groupOf(group))),
      more(report.otherRejects, "problem"),
    ),
    ...report.files.map(showFile),
    ...more(report.otherFiles, "file").map((line) => markup`<p>${line}</p>`),
    showTimeline(report),
  ];
  const page = markup`<html lang="en">\n<head><meta charset="utf-8" /><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" /><meta name="viewport" content="width=device-width, initial-scale=1" /><meta name="robots" content="noindex" /><title>${title}</title>\n<style>${new Markup(STYLE)}</style>\n</head>\n<body>\n<header><p class="soft">rec-push report</p><h1>${name}</h1>${showFacts(report)}</header>\n<main>${sections}</main>\n<footer>rec-push ${version}, written ${showMinute(writtenAt)}</footer></body></html>\n`;
  return `${PAGE_BEGINS}${report.schema} -->\n${page.source}`;
}

function showFacts({ url, run, startedAt }: RunReport): Markup {
  const facts = [
    ["Started", showMinute(startedAt)],
    ["Service", url],
    ["Run", run],
  ].filter(([, fact]) => fact !== "");
  return markup`<dl class="facts">${facts.map(([name, fact]) => markup`<div><dt>${name}</dt><dd><bdi>${fact}</bdi></dd></div>`)}</dl>`;
}

/** `2026-11-22 03:00 UTC` */
function showMinute(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}

/** How the command ended, why, and what to do next. */
function showEnding(report: RunReport): Markup {
  const { errors, otherErrors, summary } = report;
  // Up to exit 3 the next step is the hint of an error, which is already shown.
  const isShown = errors.length > 0 && summary !== undefined && summary.exitCode <= EXIT.input;
  const next = isShown ? [] : (summary?.next ?? []);
  const steps =
    next.length > 0 &&
    markup`<section class="next"><h2>What to do next</h2><ol>${next.map((step) => markup`<li>${showStep(step)}</li>`)}</ol></section>\n`;
  return markup`${showState(report)}${errors.map(showError)}${showLines(more(otherErrors, "error"))}${steps}`;
}

function showState(report: RunReport): Markup {
  const { summary, errors, writtenAt } = report;
  const { tone, text } = headlineOf(report);
  const state = (...about: readonly Part[]): Markup =>
    markup`<div class="state ${tone}"><p class="headline">${text}</p>${about}</div>\n`;
  if (report.state === "running")
    return state(
      markup`<p>This command had not ended at ${writtenAt}. If it is no longer running, it was ended from outside: <code>rec-push runs</code> says what is left to do.</p>`,
    );
  if (summary === undefined) return state();
  const { exitCode, reason, safeToRerun, ms } = summary;
  const again = safeToRerun
    ? " It is safe to run the same command again."
    : " Running the same command again does not help before something is mended.";
  return state(
    reason !== "" && errors.length === 0 && markup`<p>${reason}</p>`,
    markup`<p class="soft">Exit ${exitCode}, after ${showDuration(ms)}.${exitCode !== EXIT.ok && again}</p>`,
  );
}

function showError({ message, hint }: RunReport["errors"][number]): Markup {
  const help =
    hint !== undefined &&
    markup`<p class="soft">What settles it:</p><div class="hint">${showLines(hint.split("\n"))}</div>`;
  return markup`<div class="box">${showLines(message.split("\n"))}${help}</div>\n`;
}

/** Lines of the screen, each isolated from the words of the page and from their direction of writing. */
function showLines(lines: readonly string[]): readonly Markup[] {
  return lines.map((line) => markup`<div><bdi>${line}</bdi></div>`);
}

/** A section of lines, or nothing if it has none. */
function showSection(title: string, lines: readonly string[], others: readonly string[] = []): Part {
  if (lines.length === 0) return false;
  return markup`<section><h2>${title}</h2><div class="lines">${showLines([...lines, ...others])}</div></section>\n`;
}

function more(others: number, unit: string): readonly string[] {
  return others > 0 ? [`and ${showCount(others, `more ${unit}`)}`] : [];
}

/** `what to do: COMMAND`, and words after it that are none of it. */
const STEP = /^((?:.*?: )?)(rec-push [^]*?)((?:, then |; it |, which )[^]*)?$/;

/** A step; a command in it has a block of its own, from which it can be taken. */
function showStep(step: string): readonly Markup[] {
  return step.split("\n").map((line) => {
    const [, before, command, after = ""] = STEP.exec(line) ?? [];
    if (command === undefined) return markup`<div>${line}</div>`;
    const rest = after !== "" && markup`<div>${after.replace(/^[,;] /, "")}</div>`;
    return markup`<div>${before}</div><pre><code>${command}</code></pre>${rest}`;
  });
}

/** What became of the rows: in numbers, by answer of the service. */
function showTotals(report: RunReport): Part {
  const { read, counts, summary, command, settledBefore } = report;
  if (counts === undefined || summary === undefined || read === 0) return false;
  const isReady = command === "check" && summary.exitCode !== EXIT.input;
  const outcomes = (Object.keys(OUTCOME_WORDS) as Outcome[])
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) =>
      isReady && outcome === "notSent"
        ? { tone: "accepted", words: "ready to send", rows: counts.notSent }
        : { tone: outcome, words: OUTCOME_WORDS[outcome], rows: counts[outcome] },
    );
  const items = outcomes.map(
    ({ tone, words, rows }) => markup`<li class="is-${tone}"><b>${showInteger(rows)}</b>${words}</li>`,
  );
  const before =
    settledBefore > 0 &&
    markup`<p class="soft">${showCount(settledBefore, "row")} of them had been settled by an earlier process of the run.</p>\n`;
  return markup`<section><h2>What became of the rows</h2>\n<ul class="totals"><li><b>${showInteger(read)}</b>read</li>${items}</ul>\n${before}<div class="lines">${showLines(linesOfAnswers(report))}</div></section>\n`;
}

function linesOfAnswers({ answers, otherAnswers }: RunReport): readonly string[] {
  const lines = answers.map(({ kind, outcome, status, msg, batches, rows }) => {
    const records = `${showCount(rows, kind)} ${OUTCOME_WORDS[outcome]}`;
    return `${records} in ${showCount(batches, "batch")}: ${status ?? "no answer:"} ${msg}`;
  });
  return [...lines, ...more(otherAnswers, "batch")];
}

const FILE_WORDS = {
  rejects: "to be mended and pushed",
  inDoubt: "in doubt: delete those that are in the service",
} as const;

/** Where the rows are that were not accepted, and the files that hold them. */
function linesOfPlaces({ summary }: RunReport): readonly string[] {
  if (summary === undefined) return [];
  const { whereabouts, rejectsFiles, doubtFiles, openRuns } = summary;
  const lineOf = (path: string, rows: number, what: string): string =>
    `${path}: ${showCount(rows, "row")} ${what}`;
  return [
    ...rejectsFiles.map(({ path, rows }) => lineOf(path, rows, FILE_WORDS.rejects)),
    ...doubtFiles.map(({ path, rows }) => lineOf(path, rows, FILE_WORDS.inDoubt)),
    ...whereabouts.map(describeWhereabouts),
    ...(openRuns.length === 0
      ? []
      : [`Runs that are still open on this table: ${openRuns.slice(0, 20).join(", ")}`]),
  ];
}

/** A group of rejects as the screen has it. */
function groupOf(group: Omit<RunReport["rejects"][number], "file">): ProblemGroup {
  const { column, isSheet, header, field, reason, hint, rows, lines, values } = group;
  const [line = 0] = lines;
  const cell = isSheet && column !== undefined ? cellName(column, line) : undefined;
  const first = { line, column, cell, header, field, value: values[0], reason, hint };
  const records = group.records === undefined ? {} : { records: group.records };
  return { first: first as ProblemGroup["first"], rows, lines, values, ...records };
}

/** An input: how it is read, and for each column its format and what settled it. */
function showFile(file: RunReport["files"][number]): Markup {
  const { columns, otherColumns, notices, unpinned } = file;
  const options = [...new Set(unpinned)];
  const inferred =
    options.length > 0 &&
    markup`<p class="note">Inferred; to fix it for good, add:</p><pre><code>${options.join(" ")}</code></pre>\n`;
  const lines = showLines([...columns.flatMap(describeColumn), ...more(otherColumns, "column")]);
  return markup`<section><h2><bdi>${file.file}</bdi></h2><p class="soft">${describeRows(file)}<br />${file.reading}</p>\n${notices.map((text) => markup`<p class="note">${text}</p>\n`)}${inferred}<div class="lines">${lines}</div></section>\n`;
}

/** A push that is over sooner has no speed worth drawing. */
const SHORTEST_MS = 2000;

/** Rows settled a second, drawn. */
function showTimeline({ timeline, waits }: RunReport): Part {
  const { stepMs, points } = timeline;
  const lastMs = points.length * stepMs;
  if (lastMs <= SHORTEST_MS) return false;
  const rates = points.map(({ rows }) => (rows * 1000) / stepMs);
  const most = Math.max(...rates);
  const highest = most < 10 ? most.toPrecision(2) : showInteger(Math.round(most));
  const waited =
    waits.times > 0 && ` It waited ${showCount(waits.times, "time")}, ${showDuration(waits.ms)} in all.`;
  // Each number is drawn over its whole step, so that a single one is visible too.
  const stairs = rates.map((rate, at) => `V${Math.round(1000 * (1 - rate / (most || 1)))}H${at + 1}`);
  return markup`<section><h2>Speed over time</h2><p class="soft">Rows settled a second since the first request, in steps of ${showDuration(stepMs)}; ${highest} at most.${waited}</p><svg class="chart" role="img" aria-label="Rows settled a second, over time" viewBox="0 0 ${points.length} 1000" preserveAspectRatio="none"><path d="M0 1000${stairs.join("")}V1000Z" /></svg><p class="axis soft"><span>0</span><span>${showDuration(lastMs)}</span></p></section>\n`;
}

/** How a command ended, for someone who reads one line. */
interface Headline {
  readonly tone: "good" | "warn" | "bad";
  readonly text: string;
}

const WARNINGS: ReadonlySet<number> = new Set([EXIT.locked, ...Object.values(SIGNAL_EXIT)]);

const TEXTS: Readonly<Record<number, string>> = {
  [EXIT.fault]: "Stopped by this machine, or by a fault of rec-push",
  [EXIT.usage]: "Stopped: an option, the config or the URL is wrong",
  [EXIT.input]: "Nothing was sent: the input has to be mended, or a question answered",
  [EXIT.refused]: "Finished, and someone has to look",
  [EXIT.credentials]: "The service refused the credentials",
  [EXIT.request]: "The service refuses the request itself",
  [EXIT.unreachable]: "The service could not be reached, or kept failing",
  [EXIT.inDoubt]: "Records of an earlier push are in doubt",
  [EXIT.locked]: "Not started: another run is on this table",
};

/** The first words of the page: what became of the rows, else why there are none. */
function headlineOf({ state, command, summary, counts, read }: RunReport): Headline {
  if (state === "running") return { tone: "warn", text: "Not ended yet" };
  if (summary === undefined || counts === undefined)
    return { tone: "bad", text: "The command did not begin" };
  const { exitCode } = summary;
  if (exitCode === EXIT.ok) {
    if (command === "check") return { tone: "good", text: "Everything is ready to be sent" };
    if (read === 0 || counts.skipped === read) return { tone: "good", text: "There was nothing to send" };
    const left = counts.notSent > 0 ? `, ${showCount(counts.notSent, "row")} not sent` : "";
    return { tone: "good", text: `Done: ${showCount(counts.accepted, "row")} accepted${left}` };
  }
  const bad = counts.rejected + counts.refused;
  if (exitCode === EXIT.refused && bad > 0)
    return { tone: "bad", text: `${showShare(bad, read, "row")} to be mended` };
  if (exitCode === EXIT.inDoubt && counts.inDoubt > 0)
    return { tone: "bad", text: `${showCountIs(counts.inDoubt, "record")} in doubt` };
  if (WARNINGS.has(exitCode)) return { tone: "warn", text: TEXTS[exitCode] ?? "Interrupted" };
  return { tone: "bad", text: TEXTS[exitCode] ?? "Stopped" };
}

/** Text that is already markup; only {@link markup} makes it. */
class Markup {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** What a template may contain: texts are escaped, markup is not, and `false` and `undefined` show nothing. */
type Part = Markup | string | number | false | undefined | readonly Part[];

/** No message is longer. */
const MOST_CHARACTERS = 32_768;

/**
 * Makes markup. Each text between the parts of the template is shown as visible characters that can neither be a tag
 * nor end an attribute, because it may come from a file or from the service.
 */
function markup(pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(pieces.map((piece, at) => `${piece}${write(parts[at])}`).join(""));
}

function write(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Markup) return part.source;
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escape(showText(part, MOST_CHARACTERS));
  return part.map(write).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (sign) => ENTITIES[sign]!);
}
