import { showCount } from "../../model/quantities.ts";
import { markup, Markup } from "./markup.ts";
import type { RunReport } from "./run-report.ts";
import { showEnding } from "./show-ending.ts";
import { showFiles } from "./show-files.ts";
import { showRejects } from "./show-rejects.ts";
import { showTimeline } from "./show-timeline.ts";
import { showPlaces, showTotals } from "./show-totals.ts";
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
  const { table, command, version, startedAt, writtenAt } = report;
  const what = command === "check" ? "Check" : "Push";
  const name = `${what}${table === "" ? "" : ` to ${table}`}`;
  const title = `rec-push: ${name}, ${showMinute(startedAt)}`;
  const page = markup`<html lang="en">\n<head><meta charset="utf-8" /><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" /><meta name="viewport" content="width=device-width, initial-scale=1" /><meta name="robots" content="noindex" /><title>${title}</title>\n<style>${new Markup(STYLE)}</style>\n</head>\n<body>\n<header><p class="soft">rec-push report</p><h1>${name}</h1>${showFacts(report)}</header>\n<main>${showEnding(report)}${showTotals(report)}${showNotices(report)}${showPlaces(report)}${showRejects(report)}${showFiles(report)}${showTimeline(report)}</main>\n<footer>rec-push ${version}, written ${showMinute(writtenAt)}</footer></body></html>\n`;
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

/** What the command itself has to tell: a file that is unlike all before it, rows left out. */
function showNotices({ notices, otherNotices }: RunReport): Markup | undefined {
  if (notices.length === 0) return undefined;
  const more = otherNotices === 0 ? undefined : markup`<p>and ${showCount(otherNotices, "more notice")}.</p>`;
  return markup`<section><h2>Notices</h2>${notices.map((text) => markup`<p class="note">${text}</p>`)}${more}</section>\n`;
}

/** `2026-11-22 03:00 UTC` */
function showMinute(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}
