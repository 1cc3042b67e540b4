import {
  type ColumnReport,
  describeCounts,
  type Outcome,
  OUTCOME_WORDS,
  showCount,
  showInteger,
  showLines,
  type SurveyReport,
} from "../model/counts.ts";
import type { Summary } from "../model/event.ts";
import { EXIT } from "../model/exit-code.ts";
import type { Reading } from "../model/reading.ts";
import { quoteWord, showText } from "../model/text.ts";
import { showDuration } from "./terminal-lines.ts";

/** Further places in doubt are only counted. */
const MOST_PLACES = 10;

/** How a summary is shown. */
interface SummaryView {
  /** A check counts what it did not send as ready. */
  readonly isCheck: boolean;
  /** True if the reason why the run stopped was already printed. */
  readonly isTold: boolean;
}

/**
 * The closing lines: the rows read and what became of each, where those in doubt are, and what to do next.
 */
export function describeSummary(summary: Summary, { isCheck, isTold }: SummaryView): string[] {
  const { read, batches, ms, reason, next } = summary;
  const became = describeCounts(summary, outcomeWords(isCheck, summary.exitCode));
  if (read === 0 && isTold) return ["nothing was sent"];
  const lines = [
    `${showCount(read, "row")} read${became && `: ${became}`} (${isCheck ? "a check: nothing is sent" : `${showCount(batches, "batch")}, ${showDuration(ms)}`})`,
  ];
  lines.push(...describeDoubts(summary).map((line) => `  ${line}`));
  if (reason !== "" && !isTold) lines.push(showText(reason, 600));
  // Up to exit 3 the next step is the hint of an error that was already printed.
  if (!isTold || summary.exitCode > EXIT.input) lines.push(...next.map((step) => `Next: ${step}`));
  return [...lines, ...describeOpenRuns(summary)];
}

/** A check counts what it did not send as ready. */
export function outcomeWords(isCheck: boolean, exitCode: number): Readonly<Record<Outcome, string>> {
  return isCheck && exitCode !== EXIT.input ? { ...OUTCOME_WORDS, notSent: "ready to send" } : OUTCOME_WORDS;
}

/** The older runs on the table that are still open, if there are any. */
export function describeOpenRuns({ openRuns, stateDir }: Summary): string[] {
  if (openRuns.length === 0) return [];
  const named = `${openRuns.slice(0, 5).join(", ")}${openRuns.length > 5 ? " ..." : ""}`;
  const how = `${nameState("rec-push runs", stateDir)} says more, ${nameState("rec-push resume", stateDir)} RUN finishes one`;
  return [`Still open on this table: ${named} (${how})`];
}

/** Commands that look for runs in the state directory; that of a shard is in its plan. */
const COMMAND = /\brec-push (?:resume(?! --plan)|runs|ledger (?:add|remove))\b(?![^\n]*--state-dir)/g;

/** Adds the state directory that the user named to the commands in a text, which would look in the usual one. */
export function nameState(text: string, stateDir: string | undefined): string {
  if (stateDir === undefined) return text;
  return text.replace(COMMAND, (command) => `${command} --state-dir ${quoteWord(stateDir)}`);
}

/** `in doubt: 3 creates in orders.csv, lines 2-7` */
function describeDoubts({ inDoubtAt, stateDir }: Summary): string[] {
  const lines = inDoubtAt
    .slice(0, MOST_PLACES)
    .map(
      ({ kind, rows, file, first, last }) =>
        `in doubt: ${showCount(rows, kind)} in ${showText(file)}, ${showLines(first, last)}`,
    );
  const more = inDoubtAt[MOST_PLACES];
  if (more === undefined) return lines;
  const command = nameState(`rec-push runs ${more.run}`, stateDir);
  return [...lines, `and ${showInteger(inDoubtAt.length - MOST_PLACES)} more: ${command}`];
}

/** `orders.csv: inferred; to fix it for good, add: --encoding windows-1252`, ready to paste; nothing if all is pinned. */
export function describePins({ reading, pins }: SurveyReport): string[] {
  const options = [...new Set(pins.map(({ option }) => option))];
  if (options.length === 0) return [];
  return [`${showText(reading.file)}: inferred; to fix it for good, add: ${options.join(" ")}`];
}

/** `orders.csv: CSV with ";", windows-1252, 1,203 rows: 1,200 updates, 3 creates (rows without cle)` */
export function describeSurvey({ reading, counts }: SurveyReport): string {
  return `${showText(reading.file)}: ${describeReading(reading)}, ${describeRows(counts)}`;
}

/** `1,203 rows: 1,200 updates, 3 creates (rows without cle)` */
function describeRows({ rows, updates, creates, skipped, invalid }: SurveyReport["counts"]): string {
  const parts = [
    showCount(updates, "update"),
    `${showCount(creates, "create")}${creates > 0 ? " (rows without cle)" : ""}`,
  ];
  if (skipped > 0) parts.push(`${showInteger(skipped)} with nothing to send`);
  if (invalid > 0) parts.push(`${showInteger(invalid)} invalid`);
  return `${showCount(rows, "row")}: ${parts.join(", ")}`;
}

/** `CSV with ";", windows-1252, header in line 3` */
function describeReading({ format, dialect, encoding, sheet, jsonPath, headerless }: Reading): string {
  switch (format) {
    case "csv": {
      const header = headerless ? "no header" : `header in line ${dialect?.headerLine ?? 1}`;
      return `CSV with ${showDelimiter(dialect?.delimiter ?? ",")}, ${encoding}, ${header}`;
    }
    case "xlsx": {
      const header = headerless ? "no header" : `header in row ${dialect?.headerLine ?? 1}`;
      return `Excel, sheet "${showText(sheet ?? "")}", ${header}`;
    }
    case "json":
    case "ndjson": {
      const where = jsonPath === undefined ? "" : ` (records in "${showText(jsonPath)}")`;
      return `${format.toUpperCase()}${where}, ${encoding}`;
    }
  }
}

function showDelimiter(delimiter: string): string {
  return delimiter === "\t" ? "tab" : `"${delimiter}"`;
}

/** `date_billed: DD/MM/YYYY, settled by line 412 "26/03/2024"`, for each column whose format had to be settled. */
export function describeFormats(columns: readonly ColumnReport[]): string[] {
  return columns.flatMap(({ field, format, settledBy }) =>
    field === undefined || format === undefined
      ? []
      : [`${field}: ${format}${settledBy === undefined ? "" : `, settled by ${settledBy}`}`],
  );
}

const NOT_DECLARED = "not declared, always empty: a push asks about it once it holds a value";

/** `3  Date Facturation -> date_billed, date DD/MM/YYYY (settled by line 412 "26/03/2024")` and a line of values. */
export function describeColumn(column: ColumnReport): string[] {
  const { field, isUndeclared = false, type, format, settledBy, samples, mark } = column;
  const header = `${column.column}  ${showText(column.header) || "(no name)"}`;
  if (field === undefined) return [`${header} -> ${isUndeclared ? NOT_DECLARED : "left out"}`];
  const settled = settledBy === undefined ? "" : ` (settled by ${settledBy})`;
  const values = samples.map(({ before, after }) =>
    before === after ? showText(after, 40) : `${showText(before, 40)} -> ${showText(after, 40)}`,
  );
  const first = `${header} -> ${field}${mark === undefined ? "" : ` (${mark})`}, ${type ?? "text"}${format === undefined ? "" : ` ${format}`}${settled}`;
  return values.length === 0 ? [`${first}, always empty`] : [first, `     ${values.join("  |  ")}`];
}
