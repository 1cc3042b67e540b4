import { describeCounts, OUTCOME_WORDS, showCount, showDuration } from "../../model/counts.ts";
import { EXIT } from "../../model/exit-code.ts";
import { PAGE_STYLE } from "../../model/page-style.ts";
import { showText } from "../../model/text.ts";
import { describeProblems } from "../problem-line.ts";
import type { Reporter } from "../reporter.ts";
import {
  describeColumn,
  describeDoubts,
  describeOpenRuns,
  describeRows,
  outcomeWords,
} from "../summary-lines.ts";
import { type ReportedCommand, ReportGatherer, type RunReport } from "./gather-report.ts";

/** Beside what all pages have: the appearance of the parts of a report. */
const STYLE = `${PAGE_STYLE}p, ol, ul, dl, pre { margin: .35rem 0; } dd, header > p { margin: 0; }
ol, ul { padding-left: 1.4rem; } .lines li + li { margin-top: .75rem; }
code, pre, .lines, .hint { font: .9em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre, .box, .lines, .hint { white-space: pre-wrap; } .lines > div + div { margin-top: .35rem; }
section, .state, .box, pre { margin: 1.25rem 0; padding: 1rem 1.25rem; border: 1px solid var(--rule); border-radius: 8px;
  background: var(--sheet); }
pre { margin: .35rem 0; padding: .55rem .75rem; background: var(--back); user-select: all; } pre code { font-size: 1em; }
.state, .box { --tone: var(--bad); border-left: 6px solid var(--tone); }
.good { --tone: var(--good); } .warn { --tone: var(--warn); }
.headline { margin: 0; color: var(--tone); font-size: 1.3rem; line-height: 1.3; font-weight: 650; }
.soft, dt, footer { color: var(--soft); } dt, footer { font-size: .87em; }
.note { padding-left: .7rem; border-left: 3px solid var(--warn); }
.facts { display: flex; flex-wrap: wrap; gap: .35rem 2rem; padding: 0; } .facts div { min-width: 0; }
@media screen and (max-width: 44rem) {
  body { padding: 1rem .75rem 2rem; } section { padding: .9rem; } }
@media print { body { max-width: none; padding: 0; font-size: 10.5pt; } section { padding: 0; border: 0; }
  h2 { break-after: avoid; } .box, .state, pre { break-inside: avoid; } }
`;

/** The forms of a report, by the extension of its file name. */
type ReportFormat = "html" | "json";

const PAGE_BEGINS = "<!doctype html>\n<!-- rec-push report, schema ";
const JSON_BEGINS = '{\n  "report": "rec-push",\n  "schema": ';

/** Only this many bytes of a file are read. */
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
  /** Called if the report cannot be written at the end, which never stops a push. */
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
  replace(writeReport(gatherer.report(), format));
  return {
    emit(event) {
      gatherer.add(event);
      if (event.event !== "summary") return;
      try {
        replace(writeReport(gatherer.report(), format));
      } catch (error) {
        onLost(error);
      }
    },
    fail: (failure) => gatherer.fail(failure),
    close: () => undefined,
  };
}

/** A report as the text of its file. */
export function writeReport(report: RunReport, format: ReportFormat): string {
  return format === "json" ? `${JSON.stringify(report, undefined, 2)}\n` : writePage(report);
}

/** One self-contained page: no script, no other file, no network. */
function writePage(report: RunReport): string {
  const { table, command, version, startedAt, writtenAt, summary } = report;
  const name = `${command === "check" ? "Check" : "Push"}${table === "" ? "" : ` to ${table}`}`;
  const title = `rec-push: ${name}, ${showMinute(startedAt)}`;
  const sections = [
    showState(report),
    report.errors.map(showError),
    showLines(more(report.otherErrors, "error")),
    showSteps(report),
    showSection("Answers of the service", linesOfAnswers(report)),
    showSection("Notices", report.notices, more(report.otherNotices, "notice")),
    showSection(
      "Rows that need someone",
      summary === undefined ? [] : [...describeDoubts(summary), ...describeOpenRuns(summary)],
    ),
    showSection(
      "Rows rejected or refused, by reason",
      report.rejects.map(({ file, rows, lines, records, values, ...first }) =>
        describeProblems(file, { first, rows, lines, values, ...(records && { records }) }),
      ),
      more(report.otherRejects, "problem"),
    ),
    ...report.files.map(showFile),
    ...more(report.otherFiles, "file").map((line) => markup`<p>${line}</p>`),
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

/** How the command ended, and why. */
function showState(report: RunReport): Markup {
  const { summary, errors, writtenAt } = report;
  const tone = summary?.exitCode === EXIT.ok ? "good" : summary?.safeToRerun === false ? "bad" : "warn";
  const state = (...about: readonly Part[]): Markup =>
    markup`<div class="state ${tone}"><p class="headline">${headlineOf(report)}</p>${about}</div>\n`;
  if (summary === undefined)
    return state(
      markup`<p>This command had not ended at ${writtenAt}. If it is no longer running, it was ended from outside: <code>rec-push runs</code> says what is left to do.</p>`,
    );
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

/** What to do next, in order. */
function showSteps({ summary, errors }: RunReport): Part {
  // Up to exit 3 the next step is the hint of an error, which is already shown.
  const isShown = errors.length > 0 && summary !== undefined && summary.exitCode <= EXIT.input;
  const steps = isShown ? [] : (summary?.next ?? []);
  if (steps.length === 0) return false;
  const items = steps.map((step) => markup`<li>${showLines(step.split("\n"))}</li>`);
  return markup`<section><h2>What to do next</h2><ol class="lines">${items}</ol></section>\n`;
}

function linesOfAnswers({ answers, otherAnswers }: RunReport): readonly string[] {
  const lines = answers.map(({ kind, outcome, status, msg, batches, rows }) => {
    const records = `${showCount(rows, kind)} ${OUTCOME_WORDS[outcome]}`;
    return `${records} in ${showCount(batches, "batch")}: ${status ?? "no answer:"} ${msg}`;
  });
  return [...lines, ...more(otherAnswers, "batch")];
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

/** The first words of the page: what became of the rows. */
function headlineOf({ command, summary }: RunReport): string {
  if (summary === undefined) return "Not ended yet";
  const { exitCode, read } = summary;
  if (read === 0) return "No rows were read";
  return `${showCount(read, "row")} read: ${describeCounts(summary, outcomeWords(command === "check", exitCode))}`;
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
  if (typeof part === "object") return part.map(write).join("");
  return showText(String(part), MOST_CHARACTERS).replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
