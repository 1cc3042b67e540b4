import type { ColumnReport } from "../../model/event.ts";
import { showCount, showInteger } from "../../model/quantities.ts";
import { markup, type Markup } from "./markup.ts";
import type { ReportedFile, RunReport } from "./run-report.ts";
import { showWords } from "./show-steps.ts";
import { showCell, showTable } from "./show-table.ts";

/** More files than these are closed, each with its numbers on one line. */
const MOST_OPEN = 3;

/** The inputs: how each is read, and for each column its format and what settled it. */
export function showFiles({ files, otherFiles }: RunReport): Markup | undefined {
  if (files.length === 0) return undefined;
  const more = otherFiles > 0 ? markup`<p>and ${showCount(otherFiles, "more file")}.</p>` : undefined;
  const open = files.length > MOST_OPEN ? undefined : OPEN;
  return markup`<section><h2>Files</h2>${files.map((file) => showFile(file, open))}${more}</section>\n`;
}

const OPEN = markup` open`;

function showFile(file: ReportedFile, open: Markup | undefined): Markup {
  const { columns, otherColumns, notices, unpinned } = file;
  const options = [...new Set(unpinned)];
  return markup`<details class="file"${open}><summary><bdi>${file.file}</bdi> <span class="soft">${describeRows(file)}</span></summary>\n<p class="soft">${file.reading}</p>\n${notices.map((text) => markup`<p class="note">${text}</p>\n`)}${options.length === 0 ? undefined : markup`<p class="note">Inferred; to fix it for good, add:</p><pre><code>${showWords(options)}</code></pre>\n`}${
    columns.length === 0
      ? undefined
      : showTable(["#No", "Column", "Field", "Type", "Settled by", "Read → sent"], columns.map(showColumn))
  }${otherColumns === 0 ? undefined : markup`<p>and ${showCount(otherColumns, "more column")}.</p>`}</details>\n`;
}

function describeRows({ rows, updates, creates, skipped, invalid }: ReportedFile): string {
  const parts = [
    showCount(updates, "update"),
    showCount(creates, "create"),
    ...(skipped > 0 ? [`${showInteger(skipped)} with nothing to send`] : []),
    ...(invalid > 0 ? [`${showInteger(invalid)} invalid`] : []),
  ];
  return `${showCount(rows, "row")}: ${parts.join(", ")}`;
}

function showSample({ before, after }: ColumnReport["samples"][number], at: number) {
  const line = at === 0 ? undefined : markup`<br />`;
  return before === after ? [line, showCell(before)] : [line, showCell(before), " → ", showCell(after)];
}

function showColumn(report: ColumnReport) {
  const { column, header, field, isUndeclared = false, type, format, settledBy, samples } = report;
  const values = samples.map(showSample);
  const name = header === "" ? markup`<span class="soft">no name</span>` : showCell(header);
  if (field === undefined) {
    const why = isUndeclared ? "not declared, always empty" : "left out";
    return [column, name, markup`<span class="soft">${why}</span>`, "", "", values];
  }
  const as = `${type ?? "text"}${format === undefined ? "" : ` ${format}`}`;
  const always = values.length === 0 ? markup`<span class="soft">always empty</span>` : values;
  return [column, name, showCell(field), as, settledBy === undefined ? "" : showCell(settledBy), always];
}
