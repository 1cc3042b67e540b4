import { showCount } from "../../model/quantities.ts";
import { markup, Markup } from "./markup.ts";
import type { RunReport } from "./run-report.ts";
import { showEnding } from "./show-ending.ts";
import { showFiles } from "./show-files.ts";
import { showRejects } from "./show-rejects.ts";
import { showTimeline } from "./show-timeline.ts";
import { STYLE } from "./style.ts";

/** The forms of a report, by the extension of its file name. */
export type ReportFormat = "html" | "json";

const PAGE_BEGINS = "<!doctype html>\n<!-- rec-push report, schema ";
const JSON_BEGINS = '{\n  "report": "rec-push",\n  "schema": ';

/** Only this many bytes of a file are looked at. */
export const REPORT_HEAD_BYTES = 64;

/** True for the first bytes of a file that holds a report, of this version or another. */
export function beginsReport(head: Buffer): boolean {
  const text = head.toString("utf8");
  return text.startsWith(PAGE_BEGINS) || text.startsWith(JSON_BEGINS);
}

/** A report as the text of its file. */
export function writeReport(report: RunReport, format: ReportFormat): string {
  return format === "json" ? `${JSON.stringify(report, undefined, 2)}\n` : writePage(report);
}

/** One self-contained page: no script, no other file, no network. */
function writePage(report: RunReport): string {
  const { table, command, run, url, version, startedAt, writtenAt, notices, otherNotices } = report;
  const what = command === "check" ? "Check" : "Push";
  const title = `${what}${table === "" ? "" : ` to ${table}`}, ${startedAt.slice(0, 16).replace("T", " ")} UTC`;
  const remarks =
    notices.length === 0
      ? undefined
      : markup`<section><h2>Notices</h2><ul>${notices.map((text) => markup`<li>${text}</li>`)}</ul>${otherNotices === 0 ? undefined : markup`<p>and ${showCount(otherNotices, "more notice")}.</p>`}</section>\n`;
  const page = markup`<html lang="en">\n<head><meta charset="utf-8" /><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" /><meta name="viewport" content="width=device-width, initial-scale=1" /><meta name="robots" content="noindex" /><title>rec-push: ${title}</title>\n<style>${new Markup(STYLE)}</style>\n</head>\n<body>\n<main><header><h1>${title}</h1><p class="soft">${url === "" ? undefined : markup`<bdi>${url}</bdi>, `}${run === "" ? undefined : markup`run ${run}`}</p></header>\n${showEnding(report)}${showRejects(report)}${showFiles(report)}${showTimeline(report)}${remarks}</main>\n<footer>rec-push ${version}, written ${writtenAt}</footer></body></html>\n`;
  return `${PAGE_BEGINS}${report.schema} -->\n${page.source}`;
}
