import { cellName, showText } from "../model/text.ts";
import { describeCounts, showCount, showInteger, showLines } from "../model/counts.ts";
import { type ProblemGroup, type RowProblem, sharesLine } from "../model/rows.ts";
import { placeOf, type RunSummary } from "../model/exit-code.ts";
import { stepsOfRun } from "./advice.ts";

/**
 * A problem and those like it in one line: `orders.csv:412: column 3 "Date" (date_billed) holds "31/02/2024": ...`, or
 * for several `orders.csv: 1,204 x column 3 "Date" (date_billed) holds "31/02/2024", "31/04/2024" ...: ..., lines 2, 5,
 * 9 ...`. A cell of a workbook has its name: `orders.xlsx:C412:`, `cells C2, C5, C9 ...`; JSON says `member "Date"`, and
 * `record 57` where its line does not tell which record it is.
 */
export function describeProblems(
  file: string,
  { first, rows, lines, records, values }: ProblemGroup,
): string {
  const { reason, hint } = first;
  const where = describeCell(first, rows === 1 ? values.slice(0, 1) : values);
  const record = rows === 1 && sharesLine(first) ? ` record ${first.record}${where === "" ? ":" : ","}` : "";
  const lead = where === "" ? "" : `${where}:`;
  const what = `${lead} ${showText(reason, 400)}`;
  const advice = hint === undefined ? "" : ` (${hint})`;
  if (rows === 1) return `${showText(file)}:${first.cell ?? first.line}:${record}${what}${advice}`;
  const more = rows > lines.length ? " ..." : "";
  const { cell, column } = first;
  const [noun, names] =
    cell !== undefined && column !== undefined
      ? ["cells", lines.map((line) => cellName(column, line))]
      : [records === undefined ? "lines" : "records", (records ?? lines).map(String)];
  const list = names.slice(0, rows > lines.length ? -1 : undefined).join(", ");
  return `${showText(file)}: ${showInteger(rows)} x${what}, ${noun} ${list}${more}${advice}`;
}

function describeCell({ column, header, field, value }: RowProblem, values: readonly string[]): string {
  const noun = header === undefined ? "" : " member";
  const place = column === undefined ? noun : ` column ${column}`;
  const name = header === undefined || header === "" ? "" : ` "${showText(header, 60)}"`;
  const target = field === undefined || field === header ? "" : ` (${field})`;
  const list = values.map((text) => `"${showText(text, 80)}"`).join(", ");
  return `${place}${name}${target}${value === undefined ? "" : ` holds ${list}`}`;
}

/** A problem without its place, which is printed elsewhere. */
export function describeProblemAt(problem: RowProblem): string {
  const { cell, record, value, reason, hint } = problem;
  const named = sharesLine(problem) ? `record ${record}` : cell;
  const name = named === undefined ? "" : `${named}, `;
  const where = name + describeCell(problem, value === undefined ? [] : [value]).trim();
  const hinted = hint === undefined ? "" : ` (${hint})`;
  return `${where === "" ? "" : `${where}: `}${showText(reason, 400)}${hinted}`;
}

/** More stretches in doubt than this are shown only for a single run. */
const MAX_STRETCHES = 5;

/** The columns of the table of runs. */
export const RUNS_HEAD = tableLine("run", "state", "when", "file");

function tableLine(run: string, state: string, when: string, file: string): string {
  return `${run.padEnd(22)}  ${state.padEnd(10)}  ${when.padEnd(16)}  ${file}`;
}

/**
 * A run as a line of the table of runs, with what it has to say below. `isWhole`: with its service and everything that is
 * in doubt.
 */
export function describeRun(summary: RunSummary, isWhole: boolean): string[] {
  const { run, state, table, file, url, startedAt, read, counts, doubts } = summary;
  const { exitCode, reason, running, takenOverBy } = summary;
  const isOpen = running === undefined && (state === "unfinished" || state === "unsettled");
  const closed = takenOverBy === undefined ? state : `taken over by ${takenOverBy}`;
  const shownState = running === undefined ? closed : `running, pid ${running.pid}`;
  const why =
    isOpen && reason !== "" ? [`${exitCode === undefined ? "" : `exit ${exitCode}: `}${reason}`] : [];
  const shown = isWhole ? doubts : doubts.slice(0, MAX_STRETCHES);
  const more = doubts.length - shown.length;
  return [
    tableLine(run, shownState, showMinute(startedAt), `${showText(file)} -> ${showText(table)}`),
    ...(isWhole ? [`  ${showText(url)}`] : []),
    `  ${showCount(read, "row")}: ${describeCounts(counts)}`,
    ...why.map((text) => `  ${showText(text, 300)}`),
    ...shown.map(
      ({ kind, records, lines }) => `  in doubt: ${showCount(records, kind)}, ${showLines(...lines)}`,
    ),
    ...(more > 0 ? [`  and ${showInteger(more)} more: rec-push runs ${run}`] : []),
    ...stepsOfRun(summary).map((step) => `  Next: ${step}`),
  ];
}

/** A moment in the time zone of the user: Sweden writes it as `2026-11-28 14:05`. */
function showMinute(at: string): string {
  return new Date(at).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });
}

/** A run as an object for programs. */
export function runFields(summary: RunSummary): object {
  const { counts, doubts, doubtFile, ...rest } = summary;
  const inDoubtAt = doubts.map((one) => placeOf({ batch: one.batch }, one));
  const file = doubtFile && { doubtFile: doubtFile.path, doubtFileLeft: doubtFile.left };
  return { ...rest, ...file, ...counts, inDoubtAt, next: stepsOfRun(summary) };
}
