import { Writable } from "node:stream";
import { describeCounts, showCount } from "../model/counts.ts";
import type { ErrorEvent, Summary, SurveyEvent } from "../model/event.ts";
import { EXIT } from "../model/exit-code.ts";
import { showText } from "../model/text.ts";
import { failureFields, tellSurvey } from "./json-event.ts";
import { joinReporters, listenTo, type Reporter } from "./reporter.ts";
import { outcomeWords } from "./summary-lines.ts";
import { PLAIN_PAINT, showDuration, SILENT_PROGRESS } from "./terminal-lines.ts";
import { createTextReporter } from "./text-reporter.ts";

// A report is a page with what a screen shows, or the summary, the errors and the surveys as data, in the form of their
// events. Its memory does not grow with the rows.

const MOST_LINES = 2000;
const MOST_FILES = 200;
const MOST_COLUMNS = 200;
const MOST_CHARACTERS = 32_768;

/** Where a report goes. */
interface ReportPlace {
  readonly format: "html" | "json";
  /** Puts a text there, whole or not at all. */
  readonly replace: (text: string) => void;
  /** Called if the report cannot be written at the end, which never stops a push. */
  readonly onLost: (error: unknown) => void;
}

/** What a report says about the command itself. */
interface ReportedCommand {
  readonly isCheck: boolean;
  readonly version: string;
  readonly now: () => Date;
}

/**
 * Writes a report of a command: first one that says that the command has not ended, and one at every end. Throws what
 * `replace` throws at the beginning, when nothing is sent yet.
 */
export function createReportFile(
  { format, replace, onLost }: ReportPlace,
  { isCheck, version, now }: ReportedCommand,
): Reporter {
  const screen = new Screen();
  const report = beginReport(isCheck, version, now().toISOString());
  const write = (): void => {
    report.writtenAt = now().toISOString();
    replace(format === "json" ? `${JSON.stringify(report, undefined, 2)}\n` : writePage(report, screen));
  };
  write();
  const data = listenTo(
    {
      run: ({ run, table, url }) => void Object.assign(report, { run, table, url }),
      survey({ survey }) {
        const { columns, ...told } = tellSurvey(survey);
        if (report.files.length === MOST_FILES) report.otherFiles += 1;
        else report.files.push(shorten({ ...told, columns: columns.slice(0, MOST_COLUMNS) }));
      },
      summary: (summary) => void Object.assign(report, { state: "ended", summary }),
    },
    {
      fail(failure) {
        for (const one of failure.parts.length === 0 ? [failure] : failure.parts)
          report.errors.push(failureFields(one));
      },
    },
  );
  const words = createTextReporter({
    results: screen.stream,
    remarks: screen.stream,
    progress: SILENT_PROGRESS,
    paint: { results: PLAIN_PAINT, remarks: PLAIN_PAINT },
    amount: "normal",
    isCheck,
    isPlan: true,
  });
  const all = joinReporters([words, data]);
  return {
    ...all,
    emit(event) {
      all.emit(event);
      if (event.event !== "summary") return;
      try {
        write();
      } catch (error) {
        onLost(error);
      }
    },
  };
}

function beginReport(isCheck: boolean, version: string, startedAt: string) {
  return {
    report: "rec-push",
    schema: 1,
    version,
    command: isCheck ? "check" : "push",
    /** A command that was killed could not say how it ended. */
    state: "running",
    startedAt,
    writtenAt: startedAt,
    run: "",
    table: "",
    url: "",
    summary: undefined as Summary | undefined,
    errors: [] as ErrorEvent[],
    files: [] as SurveyEvent[],
    otherFiles: 0,
  };
}

type Report = ReturnType<typeof beginReport>;

/** Keeps the first lines that are written to it, and counts the others. */
class Screen {
  readonly lines: string[] = [];
  others = 0;
  readonly stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      for (const line of chunk.split("\n").slice(0, -1))
        if (this.lines.length < MOST_LINES) this.lines.push(line);
        else this.others += 1;
      done();
    },
  });
}

/** Of a cell the beginning says enough; a copy does not hold the whole of it in memory. */
function shorten<Data>(data: Data): Data {
  const cut = (_: string, value: unknown): unknown =>
    typeof value === "string" && value.length > 200 ? `${value.slice(0, 200)}…` : value;
  return JSON.parse(JSON.stringify(data, cut)) as Data;
}

const PAGE_BEGINS = "<!doctype html>\n<!-- rec-push report, schema ";
const JSON_BEGINS = '{\n  "report": "rec-push",\n  "schema": ';

/** Only this many bytes of a file are read. */
export const REPORT_HEAD_BYTES = 64;

/** True for the first bytes of a file that holds a report, of this version or another. */
export function beginsReport(head: Buffer): boolean {
  const text = head.toString("utf8");
  return text.startsWith(PAGE_BEGINS) || text.startsWith(JSON_BEGINS);
}

/** Light or dark as the reader has set it. */
const STYLE = `
:root { color-scheme: light dark; --back: #f6f8fa; --sheet: #fff; --front: #1a1d21; --soft: #57606a; --rule: #d8dee4;
  --good: #1a7f37; --bad: #b42318; --warn: #7d4e00; }
@media (prefers-color-scheme: dark) { :root { --back: #0f1214; --sheet: #171b1f; --front: #e6e8ea; --soft: #9aa4ae;
  --rule: #30363c; --good: #56d364; --bad: #ff8a80; --warn: #e3b341; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 68rem; background: var(--back); color: var(--front);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 0 0 .75rem; }
p, dl { margin: .35rem 0; } dd, header > p { margin: 0; }
.lines { font: .9em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; }
section, .state { margin: 1.25rem 0; padding: 1rem 1.25rem; border: 1px solid var(--rule); border-radius: 8px;
  background: var(--sheet); }
.state { --tone: var(--bad); border-left: 6px solid var(--tone); }
.good { --tone: var(--good); } .warn { --tone: var(--warn); }
.headline { margin: 0; color: var(--tone); font-size: 1.3rem; line-height: 1.3; font-weight: 650; }
.soft, dt, footer { color: var(--soft); } dt, footer { font-size: .87em; }
.facts { display: flex; flex-wrap: wrap; gap: .35rem 2rem; padding: 0; } .facts div { min-width: 0; }
@media screen and (max-width: 44rem) { body { padding: 1rem .75rem 2rem; } section { padding: .9rem; } }
@media print { body { max-width: none; padding: 0; font-size: 10.5pt; } section { padding: 0; border: 0; } }
`;

/** One self-contained page: no script, no other file, no network. */
function writePage(report: Report, { lines, others }: Screen): string {
  const { table, command, version, startedAt, writtenAt, url, run } = report;
  const name = escape(`${command === "check" ? "Check" : "Push"}${table === "" ? "" : ` to ${table}`}`);
  const facts = Object.entries({ Started: showMinute(startedAt), Service: url, Run: run })
    .filter(([, fact]) => fact !== "")
    .map(([what, fact]) => `<div><dt>${what}</dt><dd><bdi>${escape(fact)}</bdi></dd></div>`);
  // Each line is isolated from the words of the page and from their direction of writing.
  const shown = lines.map((line) => `<div><bdi>${escape(line)}</bdi></div>`);
  const more = others === 0 ? "" : `<p>and ${showCount(others, "more line")}</p>`;
  return `${PAGE_BEGINS}${report.schema} -->
<html lang="en">
<head><meta charset="utf-8" /><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" /><meta name="viewport" content="width=device-width, initial-scale=1" /><meta name="robots" content="noindex" /><title>rec-push: ${name}, ${showMinute(startedAt)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><p class="soft">rec-push report</p><h1>${name}</h1><dl class="facts">${facts.join("")}</dl></header>
<main>${describeState(report)}
<section><div class="lines">${shown.join("\n")}</div>${more}</section></main>
<footer>rec-push ${version}, written ${showMinute(writtenAt)}</footer></body></html>
`;
}

/** How the command ended: what became of the rows, and whether it may run again. */
function describeState({ summary, command, writtenAt }: Report): string {
  const state = (tone: string, headline: string, about: string): string =>
    `<div class="state ${tone}"><p class="headline">${headline}</p><p class="soft">${about}</p></div>`;
  if (summary === undefined)
    return state(
      "warn",
      "Not ended yet",
      `This command had not ended at ${writtenAt}. If it is no longer running, it was ended from outside: rec-push runs says what is left to do.`,
    );
  const { exitCode, read, safeToRerun, ms } = summary;
  const again = safeToRerun
    ? " It is safe to run the same command again."
    : " Running the same command again does not help before something is mended.";
  return state(
    exitCode === EXIT.ok ? "good" : safeToRerun ? "warn" : "bad",
    `${showCount(read, "row")} read: ${describeCounts(summary, outcomeWords(command === "check", exitCode))}`,
    `Exit ${exitCode}, after ${showDuration(ms)}.${exitCode === EXIT.ok ? "" : again}`,
  );
}

/** `2026-11-22 03:00 UTC` */
function showMinute(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Text of a file or of the service as visible characters that can neither be a tag nor end an attribute. */
function escape(text: string): string {
  return showText(text, MOST_CHARACTERS).replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}
